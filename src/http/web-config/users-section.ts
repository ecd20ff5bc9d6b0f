import { Secret } from '../../secret.ts';
import type { Section } from './section.ts';

const LOWEST_COST = 4;
/** Some seconds of computing already; each step doubles them. */
const HIGHEST_COST = 16;

/** Reads `basic_auth_users`: the bcrypt hash of each user's password. */
export function readUsers(section: Section): ReadonlyMap<string, Secret> {
  const users = new Map<string, Secret>();
  for (const name of section.keys) {
    const hash = section.text(name) ?? '';
    if (hash === '' && section.has(name)) continue;
    const fault = faultOf(name, hash);
    if (fault !== undefined) section.refuse(name, fault);
    users.set(name, new Secret(hash));
  }
  return users;
}

function faultOf(name: string, hash: string): string | undefined {
  if (name.includes(':'))
    return 'is a name with a colon, which nobody can log in with; accepted: a name without one';
  const match = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash);
  if (match === null)
    return 'its value is not a bcrypt hash; accepted: $2a$, $2b$ or $2y$, cost and 53 characters, as htpasswd -nBC 10 prints it';
  const cost = Number(match[1]);
  if (cost >= LOWEST_COST && cost <= HIGHEST_COST) return undefined;
  return `its hash has cost ${cost}; accepted: ${LOWEST_COST} to ${HIGHEST_COST}`;
}
