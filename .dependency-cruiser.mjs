/** The directions of the rooms: a line of code knows its room, and a room knows only the rooms below it. */

const PURE = '^src/(text|transaction|nearmiss)/';

/** A room may import itself and the rooms named; type-only imports of `types` too. */
function room(name, allowed, { types = [], except } = {}) {
  const from = { path: `^src/${name}/`, ...(except === undefined ? {} : { pathNot: except }) };
  const open = [name, ...allowed];
  const rules = [
    {
      name: `${name}-reaches-out`,
      comment: `src/${name} may import only ${open.map((other) => `src/${other}`).join(', ')}${types.length > 0 ? ` and the types of ${types.join(', ')}` : ''}.`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: `^src/(${[...open, ...types].join('|')})/` },
    },
  ];
  if (types.length > 0) {
    rules.push({
      name: `${name}-takes-values`,
      comment: `src/${name} may import only types of ${types.join(', ')}.`,
      severity: 'error',
      from,
      to: { path: `^src/(${types.join('|')})/`, dependencyTypesNot: ['type-only'] },
    });
  }
  return rules;
}

/** What the parts of src/service stand on, each beside itself; only service.ts and index.ts above them know them all. */
const SERVICE = {
  common: [],
  submission: ['common'],
  reading: ['common'],
  files: ['common'],
  scopes: ['common', 'submission'],
};

/** The files of the borders that build a pool or run the embedded server, named for it; every other one sees the service alone. */
const MAINS = '^src/mcp/main[.]ts$|^src/cli/commands/db-[a-z]+[.]ts$';

export default {
  forbidden: [
    ...room('text', []),
    ...room('transaction', ['text']),
    ...room('nearmiss', ['text']),
    ...room('scopes', ['text']),
    ...room('db', ['text'], { types: ['transaction'] }),
    ...room('workspace', ['text']),
    ...room('service', ['text', 'transaction', 'nearmiss', 'scopes', 'db', 'workspace']),
    ...Object.entries(SERVICE).map(([part, allowed]) => ({
      name: `service-${part}-reaches-out`,
      comment: `src/service/${part} may import of src/service only ${[part, ...allowed].join(', ')}.`,
      severity: 'error',
      from: { path: `^src/service/${part}/` },
      to: { path: '^src/service/', pathNot: `^src/service/(${[part, ...allowed].join('|')})/` },
    })),
    ...room('mcp', ['service'], { except: MAINS }),
    ...room('cli', ['service'], { except: `${MAINS}|^src/cli/main[.]ts$` }),
    {
      name: 'cli-main-reaches-out',
      comment: 'src/cli/main.ts may start the MCP server: it imports src/cli and src/mcp/main.ts.',
      severity: 'error',
      from: { path: '^src/cli/main[.]ts$' },
      to: { path: '^src/', pathNot: '^src/cli/|^src/mcp/main[.]ts$' },
    },
    {
      name: 'pure-rooms-have-no-host',
      comment: 'The pure rooms take values and return values: no node: module, no package.',
      severity: 'error',
      from: { path: PURE },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'only-db-speaks-sql',
      comment: 'src/db is the only room with SQL text, so it alone holds the driver.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/db/' },
      to: { path: '^(node_modules/)?(pg|graphile-migrate)(/|$)' },
    },
    {
      name: 'only-scopes-parses',
      comment: 'src/scopes alone holds the parser.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/scopes/' },
      to: { path: '^(node_modules/)?web-tree-sitter(/|$)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-tests-in-source', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|scripts)/' } },
    { name: 'unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency-in-source',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts', '.json'],
    },
  },
};
