import type { Language } from '../language.ts';
import { c, cpp, csharp, go, java, rust } from './c-family.ts';
import { css, html, json, toml, yaml } from './data.ts';
import { javascript, typescript } from './ecmascript.ts';
import type { LanguageRules } from './rule.ts';
import { bash, php, python, ruby, sql } from './scripting.ts';

/** The table of each language that a grammar reads. */
export const RULES: Readonly<Record<Exclude<Language, 'markdown'>, LanguageRules>> = {
  typescript,
  tsx: typescript,
  javascript,
  python,
  go,
  rust,
  java,
  c,
  cpp,
  csharp,
  ruby,
  php,
  bash,
  json,
  yaml,
  toml,
  html,
  css,
  sql,
};

export type { Condition, Found, LanguageRules, Place, Rule } from './rule.ts';
