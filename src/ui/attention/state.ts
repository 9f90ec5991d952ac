/** What the session is doing, in the one word and the one line that are shown outside of the screen. */
import type { AgentState } from '../../agent/types.ts';
import type { Snapshot } from '../controller/types.ts';

export type Doing = 'working' | 'waiting' | 'idle';

/** Waiting is for the user: a question of the agent's, or one that comes before there is a session. */
export function doingOf({ view, phase }: Pick<Snapshot, 'view' | 'phase'>): Doing {
  if (view.questions.length > 0 || phase.type === 'trust' || phase.type === 'onboarding') return 'waiting';
  return view.busy ? 'working' : 'idle';
}

const marks: Readonly<Record<Doing, string>> = { working: '✳ ', waiting: '? ', idle: '' };

/** What a session is called where there is a line for it: by its title, before it has one by its folder. */
export function nameOf(state: Pick<AgentState, 'title' | 'root'> | undefined): string {
  const folder = state?.root.split(/[\\/]/).findLast((part) => part !== '');
  return state?.title ?? (folder === undefined ? 'ClawdCode' : `ClawdCode · ${folder}`);
}

export function titleOf(doing: Doing, name: string): string {
  return marks[doing] + name;
}
