// Prints the notes of the release that a tag names: node .ci/release-notes.js v1.2.3
// Fails when package.json has another version, or CHANGELOG.md nothing to say of this one.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { notesOf } from './changelog.js';

const tag = process.argv[2] ?? '';
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { version, homepage } = JSON.parse(read('package.json'));
const notes = notesOf(read('CHANGELOG.md'), version, `${homepage}/blob/${tag}`);
if (tag !== `v${version}`) fail(`the tag ${tag} is not v${version}, the version of package.json`);
else if (notes === undefined) fail(`CHANGELOG.md says nothing of ${version}`);
else process.stdout.write(notes);

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
