import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Such a group saves lines, and hides which properties a literal has. */
const spreadLiteral = {
  selector: 'SpreadElement > :matches(ObjectExpression, ArrayExpression)',
  message: 'Write what stands in the literal where it is spread.',
};

const clockRules = {
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Take a Clock.' },
    { object: 'Math', property: 'random', message: 'Take a random function.' },
    { object: 'performance', property: 'now', message: 'Take a Clock.' },
  ],
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
      name,
      message: 'Timers live in base/clock.ts, base/turns.ts and cli.ts.',
    })),
    { name: 'process', message: 'Only cli.ts touches the process.' },
    { name: 'fetch', message: 'The network is undici: see CONTRIBUTING.md.' },
  ],
  'no-restricted-syntax': [
    'error',
    spreadLiteral,
    {
      selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
      message: 'Take a Clock.',
    },
    { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
    {
      // A call takes some 120,000 arguments and throws at more.
      selector: ':matches(CallExpression, NewExpression) > SpreadElement.arguments',
      message: 'An array may be of any length: pass it whole, or use model/units.ts.',
    },
    { selector: 'Identifier[name="globalThis"]', message: 'Globals are named, or not used.' },
  ],
};

export default defineConfig(
  {
    ignores: [
      '.stryker-tmp/',
      'dist/',
      'dist-bench/',
      'dist-grafana/',
      'dist-pictures/',
      'coverage/',
      '**/*.d.ts',
    ],
  },
  {
    files: ['**/*.ts', 'src/**/*.js'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', spreadLiteral],
    },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: clockRules,
  },
  {
    files: ['src/cli.ts', 'src/base/clock.ts', 'src/base/turns.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  {
    // It runs in the browser.
    files: ['src/http/status-page/live.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    // Without types, which take most of the time of linting: the compiler checks the tests by itself.
    files: ['test/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['**/*.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
