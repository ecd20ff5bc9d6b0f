// Runs scripts of package.json beside each other: node .ci/at-once.js typecheck lint
// Each one's output is printed once it has ended. Fails when one of them does.
import { spawn } from 'node:child_process';
import process from 'node:process';

for (const script of process.argv.slice(2)) {
  const begunAtMs = performance.now();
  const run = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  run.stdout.on('data', (chunk) => output.push(chunk));
  run.stderr.on('data', (chunk) => output.push(chunk));
  run.on('close', (status) => {
    const seconds = Math.round((performance.now() - begunAtMs) / 1000);
    process.stdout.write(Buffer.concat(output));
    console.log(`${script}: ${status === 0 ? 'ok' : 'failed'} after ${seconds} s`);
    if (status !== 0) process.exitCode = 1;
  });
}
