import { createRequire } from 'node:module';

/** The version of this program. The file is found by a name, wherever a compiler puts this one. */
export const { version: VERSION } = createRequire(import.meta.url)('#package.json') as {
  readonly version: string;
};
