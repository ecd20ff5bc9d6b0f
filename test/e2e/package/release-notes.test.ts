import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, test } from 'vitest';
import { readText, repositoryPath } from '../../stack/repository.ts';

const { version } = JSON.parse(readText('package.json')) as { readonly version: string };

test.each(['v99.0.0', version, `v${version}-1`, ''])(
  'a tag that is not the version of package.json releases nothing: %s',
  (tag) => {
    const words = [repositoryPath('.ci/release-notes.js'), tag];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(`the tag ${tag} is not v${version}, the version of package.json\n`);
  },
);
