/** Ports of the session subcommands, with made-up sessions and recorded output. */

import { runSessionCommand } from '../../../src/cli/sessionCommand/program.ts';
import type { Sessions } from '../../../src/cli/sessionCommand/sessions.ts';
import type { SessionPorts } from '../../../src/cli/sessionCommand/withSession.ts';
import type { SearchHit, SessionRecord } from '../../../src/protocol/sessions.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

export interface Given {
  readonly sessions?: readonly SessionRecord[];
  readonly hits?: readonly SearchHit[];
  readonly isTerminal?: boolean;
  readonly width?: number;
  /** The answer to a question; undefined: there is no terminal to ask on. */
  readonly answer?: boolean;
  readonly dataRoot?: string;
  /** Real sessions, instead of made-up ones. */
  readonly real?: Sessions;
  /** False if the index is incomplete. */
  readonly isComplete?: boolean;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The actions on sessions, in order. */
  readonly done: readonly string[];
  readonly asked: readonly string[];
}

export async function runWith(argv: readonly string[], given: Given = {}): Promise<Outcome> {
  const { sessions = [], hits = [], isTerminal = false, width = 80 } = given;
  let stdout = '';
  let stderr = '';
  const done: string[] = [];
  const asked: string[] = [];
  const known: Sessions = {
    projects: ['here', 'before'],
    named: () => Promise.resolve(sessions),
    list: ({ project, archived = true, filter, limit }) =>
      Promise.resolve({
        isComplete: given.isComplete ?? true,
        sessions: sessions
          .filter((one) => project === undefined || project.includes(one.project))
          .filter((one) => archived || !one.isArchived)
          .filter((one) => filter === undefined || one.title.includes(filter))
          .slice(0, limit),
      }),
    search: (text, { project, limit }) => {
      done.push(`search ${text}`);
      const found = hits.filter(({ session }) => project === undefined || project.includes(session.project));
      return Promise.resolve(found.slice(0, limit));
    },
    rename: async ({ id }, title) => {
      done.push(`rename ${id} to ${title}`);
      return undefined;
    },
    fork: ({ id, messageCount }, uptoSeq) => {
      done.push(`fork ${id} at ${uptoSeq}`);
      return Promise.resolve((uptoSeq ?? 0) < messageCount ? 'new1' : undefined);
    },
    archive: ({ id }) => {
      done.push(`archive ${id}`);
      return Promise.resolve(1234);
    },
    unarchive: async ({ id, file }) => {
      done.push(`unarchive ${id}`);
      return { file };
    },
    remove: ({ id }) => {
      done.push(`delete ${id}`);
      return Promise.resolve(50_000);
    },
    close: () => Promise.resolve(),
  };
  const write = (text: string): Promise<boolean> => {
    stdout += text;
    return Promise.resolve(true);
  };
  const ports: SessionPorts = {
    place: {
      cwd: '/repo',
      root: '/repo',
      home: '/home',
      dataRoot: given.dataRoot ?? '/data',
      packageRoot: '/package',
      version: '1.0.0',
      env: {},
    },
    output: {
      write,
      line: (text) => write(`${text}\n`),
      say: (text) => {
        stderr += `clawdcode: ${text}\n`;
      },
      hint: (text) => {
        stderr += `${text}\n`;
      },
      width,
      isTerminal,
      theme: chooseTheme('plain', { noColor: true }),
    },
    sessions: () => Promise.resolve(given.real ?? known),
    confirm: (question) => {
      asked.push(question);
      return Promise.resolve(given.answer);
    },
    now: () => new Date('2025-03-03T12:00:00Z'),
  };
  const code = await runSessionCommand(ports, argv);
  return { code, stdout, stderr, done, asked };
}
