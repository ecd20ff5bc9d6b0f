// What is installed has to be what was reviewed, and nothing that is known to be vulnerable.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const unchecked = Object.entries(packages)
  .filter(
    ([path, { integrity, link }]) => path !== '' && !link && !/^sha512-/.test(integrity ?? ''),
  )
  .map(([path]) => path);
if (unchecked.length > 0) {
  console.error(`package-lock.json has no checksum of ${unchecked.join(', ')}`);
  process.exitCode = 1;
}

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  timeout: 60_000,
});
const { vulnerabilities, message, error } = answerOf(stdout ?? '');
if (vulnerabilities === undefined) {
  // A registry that cannot be asked says nothing about this change.
  console.log(
    `npm audit: not reachable (${message ?? error?.summary ?? 'no answer'}); nothing was looked up`,
  );
} else {
  const names = Object.keys(vulnerabilities);
  console.log(`npm audit: ${names.length} known vulnerabilities ${names.join(', ')}`);
  if (names.length > 0) process.exitCode = 1;
}

function answerOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
