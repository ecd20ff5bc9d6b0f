// undici does not describe its files one by one; the types of the whole are theirs.

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export default Agent;
}

declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';
  export default errors;
}
