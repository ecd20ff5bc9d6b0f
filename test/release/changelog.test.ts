import { expect, test } from 'vitest';
import { notesOf } from '../../.ci/changelog.js';

const HOME = 'https://example.org/blob/v1.2.0';
const CHANGELOG = `# Changelog

## [Unreleased]

- Not yet.

## [1.2.0] - 2026-11-23

### Added

- \`## code\`, and a [page](docs/alerts.md#one), a [site](https://example.org) and a [place](#here).

## [1.1.0] - 2026-10-01

- Older.

[1.2.0]: https://example.org/releases/v1.2.0
`;

test('the notes of a release are what the changelog says of its version', () => {
  expect(notesOf(CHANGELOG, '1.2.0', HOME)).toBe(`### Added

- \`## code\`, and a [page](${HOME}/docs/alerts.md#one), a [site](https://example.org) and a [place](#here).
`);
});

test('the notes of the oldest version end where the links begin', () => {
  expect(notesOf(CHANGELOG, '1.1.0', HOME)).toBe('- Older.\n');
});

test.each(['1.2', '1.0.0', '0.2.0', '1x2.0'])(
  'a version of which nothing is said has no notes: %s',
  (version) => {
    expect(notesOf(CHANGELOG, version, HOME)).toBeUndefined();
  },
);

test('a version with nothing but a heading has no notes', () => {
  expect(notesOf('## [1.0.0] - 2026-01-01\n\n## [0.9.0]\n\n- a\n', '1.0.0', HOME)).toBeUndefined();
});
