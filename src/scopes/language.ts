/** The languages whose scopes are known. */
export const LANGUAGES = [
  ...['typescript', 'tsx', 'javascript', 'python', 'go', 'rust', 'java', 'c', 'cpp', 'csharp'],
  ...['ruby', 'php', 'bash', 'json', 'yaml', 'toml', 'html', 'css', 'markdown', 'sql'],
] as readonly Language[];

export type Language =
  | ('typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'rust' | 'java' | 'c' | 'cpp' | 'csharp')
  | ('ruby' | 'php' | 'bash' | 'json' | 'yaml' | 'toml' | 'html' | 'css' | 'markdown' | 'sql');

const EXTENSIONS: Record<Language, string> = {
  typescript: 'ts mts cts',
  tsx: 'tsx',
  javascript: 'js mjs cjs jsx',
  python: 'py pyi pyw',
  go: 'go',
  rust: 'rs',
  java: 'java',
  c: 'c h',
  cpp: 'cpp cc cxx c++ cppm ixx hpp hh hxx h++ inl ipp tpp',
  csharp: 'cs csx',
  ruby: 'rb rake gemspec podspec ru',
  php: 'php phtml php5 php7 php8',
  bash: 'sh bash zsh ksh bats',
  json: 'json jsonc webmanifest geojson',
  yaml: 'yaml yml',
  toml: 'toml',
  html: 'html htm xhtml',
  css: 'css',
  markdown: 'md markdown mkd mdown mdx',
  sql: 'sql ddl pgsql psql',
};

const FILE_NAMES: Record<string, Language> = {
  rakefile: 'ruby',
  gemfile: 'ruby',
  vagrantfile: 'ruby',
  podfile: 'ruby',
  '.bashrc': 'bash',
  '.bash_profile': 'bash',
  '.profile': 'bash',
  '.zshrc': 'bash',
  'cargo.lock': 'toml',
  pipfile: 'toml',
  'poetry.lock': 'toml',
  '.prettierrc': 'json',
  '.clang-format': 'yaml',
};

/** Other names by which a caller may mean a language. */
const ALIASES: Record<string, Language> = {
  ts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  py: 'python',
  golang: 'go',
  rs: 'rust',
  'c++': 'cpp',
  'c#': 'csharp',
  c_sharp: 'csharp',
  cs: 'csharp',
  rb: 'ruby',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  jsonc: 'json',
  yml: 'yaml',
  htm: 'html',
  md: 'markdown',
  postgresql: 'sql',
};

const INTERPRETERS: readonly [RegExp, Language][] = [
  [/^(ba|da|k|z)?sh$/, 'bash'],
  [/^python[\d.]*$/, 'python'],
  [/^node(js)?$/, 'javascript'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^php[\d.]*$/, 'php'],
];

const BY_EXTENSION = new Map(LANGUAGES.flatMap((language) => EXTENSIONS[language].split(' ').map((extension) => [extension, language])));

/** What only C++ has, at the head of a line of a header. */
const CPP_LINE = /^[ \t]*(?:class[ \t]+\w+|namespace\b|template[ \t]*<|using[ \t]+\w+|(?:public|private|protected)[ \t]*:)/m;

/** A language by its name or a common other name, in any case; null: none of ours. */
export function languageNamed(name: string): Language | null {
  const wanted = name.trim().toLowerCase();
  return LANGUAGES.find((language) => language === wanted) ?? (Object.hasOwn(ALIASES, wanted) ? ALIASES[wanted]! : null);
}

/**
 * The language of a file: by its whole name, its last extension, or the interpreter its first line names. A `.h` is C++ when a line
 * begins with what C does not have. Null: none of ours.
 */
export function languageOf(path: string, text: string): Language | null {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  if (Object.hasOwn(FILE_NAMES, name)) return FILE_NAMES[name]!;
  const dot = name.lastIndexOf('.');
  const known = dot < 0 ? undefined : BY_EXTENSION.get(name.slice(dot + 1));
  if (known === 'c' && name.endsWith('.h') && CPP_LINE.test(text)) return 'cpp';
  return known ?? (dot <= 0 ? languageOfShebang(text) : null);
}

function languageOfShebang(text: string): Language | null {
  const line = /^#![ \t]*([^\n]{1,200})/.exec(text)?.[1];
  if (line === undefined) return null;
  const words = line.split(/[ \t]+/);
  const program = (word: string | undefined): string => word?.slice(word.lastIndexOf('/') + 1) ?? '';
  const interpreter =
    program(words[0]) === 'env' ? program(words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='))) : program(words[0]);
  return INTERPRETERS.find(([pattern]) => pattern.test(interpreter))?.[1] ?? null;
}
