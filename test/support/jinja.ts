import { spawnSync } from 'node:child_process';
import { hasProgram } from './programs.ts';

const PYTHON = '/usr/bin/python3';

/** Jinja as Home Assistant runs it: in a sandbox, and with a filter of its own for instants. */
const RENDER = `
import datetime, json, sys
from jinja2.sandbox import ImmutableSandboxedEnvironment
environment = ImmutableSandboxedEnvironment()
environment.filters['as_datetime'] = lambda s: datetime.datetime.fromtimestamp(s, datetime.timezone.utc)
given = json.load(sys.stdin)
print(json.dumps([environment.from_string(t).render(given['variables']).strip() for t in given['templates']]))
`;

/** Whether Jinja can be run here; see {@link hasProgram}. */
export function hasJinja(): boolean {
  return hasProgram(PYTHON);
}

/** Renders templates of Home Assistant; throws where one of them fails. */
export function renderJinja(
  templates: readonly string[],
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', RENDER], {
    input: JSON.stringify({ templates, variables }),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as readonly string[];
}
