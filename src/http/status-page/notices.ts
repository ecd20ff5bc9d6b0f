import { allProblems, wordsOf } from '../../status/problems.ts';
import type { Problem, Status } from '../../status/status.ts';
import { formatInstant } from './format.ts';
import { html, joined, type Markup, type Piece } from './markup.ts';

/** So many problems with the same remedy are named; a fleet may have hundreds. */
const MOST_NAMED = 3;

/**
 * Renders what a person has to know or do first: each remedy once, with what it is for. It shows instants and no ages,
 * because a screen reader reads it aloud whenever it changes.
 */
export function renderNotices(status: Status, zone: string): readonly Piece[] {
  const { areCredentialsIgnored, atMs, session } = status;
  const { blockedUntilMs = 0 } = session;
  const problems = allProblems(status).filter(({ remedy }) => remedy !== undefined);
  const remedies = new Set(problems.map(({ remedy }) => remedy));
  return [
    areCredentialsIgnored &&
      html`<p class="notice"><strong>Your account is not used.</strong> The demo is running. Start <code>solar-exporter serve</code>; with <code>compose.yaml</code>, write <code>EXPORTER_COMMAND=serve</code> into <code>.env</code>.</p>`,
    blockedUntilMs > atMs &&
      html`<p class="notice">So that the account does not get locked, the next log-in is not before <time>${formatInstant(blockedUntilMs, zone)}</time>.</p>`,
    ...[...remedies].map((remedy = '') =>
      renderRemedy(
        remedy,
        problems.filter((one) => one.remedy === remedy),
      ),
    ),
  ];
}

/** Renders a remedy and the problems that it is for, the worst first. */
function renderRemedy(remedy: string, problems: readonly Problem[]): Markup {
  const names = [...new Set(problems.map(wordsOf))];
  const shown = names.slice(0, MOST_NAMED).map((name) => html`<bdi>${name}</bdi>`);
  const others = names.length - shown.length;
  const reason = problems.find((one) => one.reason !== undefined)?.reason;
  const isSerious = problems[0]?.level === 'critical';
  const parts = remedy.split(/(https:\S+)/);
  const linked = parts.map((part, index) =>
    index % 2 === 0 ? part : html`<a href="${part}">${part}</a>`,
  );
  return html`<p class="notice ${isSerious && 'serious'}"><strong>${joined(shown, '; ')}${others > 0 && ` and ${others} more`}.</strong> ${reason && html`<bdi>${reason}</bdi>. `}<strong>What to do:</strong> ${linked}.</p>`;
}
