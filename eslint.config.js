import tseslint from 'typescript-eslint';

const PURE_ROOMS = ['src/text/**/*.ts', 'src/transaction/**/*.ts', 'src/nearmiss/**/*.ts'];

// A `$` in a replacement string is a pattern ($&, $1): text that came from a document must go through a function.
const LITERAL_REPLACEMENT = {
  selector:
    'CallExpression[callee.property.name=/^replace(All)?$/][arguments.length=2]' +
    ':not([arguments.1.type=/^(Literal|ArrowFunctionExpression|FunctionExpression)$/]):not([arguments.1.expressions.length=0])',
  message: 'Give replace/replaceAll a literal or a function: a `$` in a computed replacement is read as a pattern.',
};

const IMPURE_GLOBALS = [
  'Buffer',
  'Date',
  'console',
  'crypto',
  'fetch',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // noUncheckedIndexedAccess makes every indexed read possibly undefined, in loops whose bounds rule that out too.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': ['error', LITERAL_REPLACEMENT],
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
