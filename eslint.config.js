import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import literalReplacement from './scripts/lint/literal-replacement.mjs';

const PURE_ROOMS = ['src/text/**/*.ts', 'src/transaction/**/*.ts', 'src/nearmiss/**/*.ts'];

const IMPURE_GLOBALS = [
  ...['Buffer', 'Date', 'console', 'crypto', 'fetch', 'performance', 'process'],
  ...['queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'],
];

export default defineConfig(
  // wasm/ is AssemblyScript, whose own compiler judges it.
  { ignores: ['dist/', 'coverage/', 'node_modules/', 'wasm/**/*.ts'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { patchdiff: { rules: { 'literal-replacement': literalReplacement } } },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'patchdiff/literal-replacement': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
      // The protocol's unit is the code point, which is what spreading a text gives.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // noUncheckedIndexedAccess makes every indexed read possibly undefined, in loops whose bounds rule that out too.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // It takes what a callback changes for constant.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // Numbers of the wire (type ids, log levels) are compared with the enums of the driver as they come.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: PURE_ROOMS,
    rules: {
      'no-restricted-globals': [
        'error',
        ...IMPURE_GLOBALS.map((name) => ({ name, message: 'Pure rooms have no clock, no randomness, no I/O.' })),
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'Pure rooms have no randomness.' }],
    },
  },
);
