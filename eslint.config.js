import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Imports and globals that belong to one place each: CONTRIBUTING.md says why. */
const fences = {
  'prom-client': ['prom-client'],
  undici: ['undici'],
  'node:http': builtin('http', 'https', 'http2', 'net', 'tls'),
  'node:process': builtin('process'),
  'node:crypto': builtin('crypto'),
  'node:worker_threads': builtin('worker_threads'),
  'node:timers': builtin('timers', 'timers/promises'),
};

/** A module of Node.js by both of its names. */
function builtin(...names) {
  return names.flatMap((name) => [name, `node:${name}`]);
}

const fencedModules = Object.values(fences).flat().join('|').replaceAll('/', '\\u002F');

/** The rooms of src/ in one line: each may know those after it, and `base`. */
const LINE = ['commands', 'exporter', 'http', 'status', 'metrics', 'collectors', 'client', 'model'];

/** Rooms beside the line; of those, each room may know only what is said here. */
const BESIDE = ['history', 'config', 'state', 'simulator', 'base'];
const KNOWS_BESIDE = {
  commands: ['history', 'config', 'state', 'simulator', 'base'],
  exporter: ['state', 'base'],
  history: ['state', 'base'],
  model: [],
  base: [],
};

/** A room beside the line that may know the rooms after this one. */
const AFTER = { history: 'status' };

/**
 * The rooms inside of rooms, each in a line, too: those that stand together do not know each other. None of them
 * knows the files that compose the whole.
 */
const INNER = {
  client: { line: [['devices'], ['session', 'dialects'], ['exchange']], composed: ['client'] },
  collectors: { line: [['tariff']], composed: ['collection', 'station-targets'] },
  http: { line: [['status-page']], composed: ['server', 'routes'] },
  simulator: { line: [['service'], ['families'], ['physics']], composed: ['simulator'] },
};

/** What all rooms inside of a room may import beyond the fences. */
const ALLOWED_INSIDE = { http: ['node:http'] };

function closedRooms(room) {
  const after = LINE.indexOf(AFTER[room]) + 1;
  const position = after > 0 ? after : LINE.indexOf(room);
  const above = position < 0 ? LINE : LINE.slice(0, position);
  const known = KNOWS_BESIDE[room] ?? ['base'];
  return [...above, ...BESIDE.filter((other) => !known.includes(other))].filter(
    (other) => other !== room,
  );
}

/** The rooms of a line that `room` must not import: those before it and those beside it. */
function closedInLine(line, room) {
  const position = line.findIndex((rooms) => rooms.includes(room));
  return line
    .slice(0, position + 1)
    .flat()
    .filter((other) => other !== room);
}

function restrictedImports({ allowed = [], layer, room }) {
  const { line = [], composed = [] } = room === undefined ? {} : INNER[layer];
  const paths = Object.entries(fences)
    .filter(([fence]) => !allowed.includes(fence))
    .flatMap(([fence, modules]) =>
      modules.map((name) => ({ name, message: `${fence} is fenced: see CONTRIBUTING.md.` })),
    );
  const pattern = (from, to, path = to) => ({
    regex: `^(\\.\\./)+${path}/`,
    message: `src/${from} must not import from src/${to}.`,
  });
  const patterns = [
    ...(layer === undefined ? [] : closedRooms(layer).map((room) => pattern(layer, room))),
    ...closedInLine(line, room).map((other) =>
      pattern(`${layer}/${room}`, `${layer}/${other}`, other),
    ),
    ...composed.map((name) => ({
      regex: `^(\\.\\./)+${name}\\.ts$`,
      message: `src/${layer}/${room} must not know how src/${layer} is composed.`,
    })),
  ];
  return ['error', { paths, patterns }];
}

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
    // Other ways around the fences.
    {
      selector: `ImportExpression[source.value=/^(${fencedModules})$/]`,
      message: 'A fenced module is imported at the top, where its fence can see it.',
    },
    { selector: 'Identifier[name="globalThis"]', message: 'Globals are named, or not used.' },
  ],
};

/** Holds a room of src/, or some files of it, to the line. */
const layer = (name, allowed = [], files = [`src/${name}/**/*.{ts,js}`]) => ({
  files,
  rules: { 'no-restricted-imports': restrictedImports({ allowed, layer: name }) },
});

/** Holds a room inside of a room of src/, or some files of it, to both lines. */
const innerRoom = (layer, room, allowed = [], files = ['**/*.{ts,js}']) => ({
  files: files.map((file) => `src/${layer}/${room}/${file}`),
  rules: { 'no-restricted-imports': restrictedImports({ allowed, layer, room }) },
});

export default defineConfig(
  {
    ignores: ['dist/', 'dist-bench/', 'dist-grafana/', 'dist-pictures/', 'coverage/', '**/*.d.ts'],
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
    },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: { ...clockRules, 'no-restricted-imports': restrictedImports({}) },
  },
  ...[...LINE, ...BESIDE].map((name) => layer(name)),
  layer('metrics', ['prom-client']),
  layer('http', ['node:http']),
  layer(
    'http',
    ['node:http', 'node:crypto'],
    ['src/http/authenticator.ts', 'src/http/web-config.ts'],
  ),
  layer('state', ['node:http'], ['src/state/state-directory.ts']),
  layer('simulator', ['node:http', 'node:crypto']),
  ...Object.entries(INNER).flatMap(([name, { line }]) =>
    line.flat().map((room) => innerRoom(name, room, ALLOWED_INSIDE[name] ?? [])),
  ),
  innerRoom('client', 'exchange', ['undici'], ['transport.ts']),
  innerRoom('client', 'session', ['node:crypto'], ['credentials.ts']),
  innerRoom('simulator', 'service', ['node:http', 'node:crypto']),
  layer('base', ['node:crypto'], ['src/base/clock.ts']),
  {
    files: ['src/cli.ts', 'src/base/clock.ts', 'src/base/turns.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  {
    files: ['src/cli.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allowed: ['node:process'] }) },
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
