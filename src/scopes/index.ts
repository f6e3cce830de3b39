export { createScopeEngine } from './engine.ts';
export type { ScopeEngine, ScopeEngineOptions, ScopeRequest } from './engine.ts';
export { languageNamed, LANGUAGES } from './language.ts';
export type { Language } from './language.ts';
export type { Discovery, FallbackReason, Grammar, Reader, Scope, SyntaxErrors, Undiscovered } from './types.ts';
