import { createRequire } from 'node:module';

/** The version of this program. `package.json` is found by a name, wherever the compiler puts this file. */
export const { version: VERSION } = createRequire(import.meta.url)('#package.json') as {
  readonly version: string;
};
