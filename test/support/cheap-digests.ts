import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;

/**
 * The digest that says whose a saved session is takes 50 ms on purpose, at each start with a state directory: more than
 * all else that a door does. Here it is the same function with the least work.
 */
function cheapScrypt(password: string, salt: string, bytes: number, ...more: unknown[]): void {
  scrypt(password, salt, bytes, { N: 2 }, more.at(-1) as Done);
}

// Once for all files of a process.
if (scrypt.name !== cheapScrypt.name) {
  Object.assign(crypto, { scrypt: cheapScrypt });
  syncBuiltinESMExports();
}
