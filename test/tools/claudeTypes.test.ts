/** The inputs of our tools, compared with the published types of Claude Code's, which scripts and hooks expect. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentTool } from '../../src/agent/subagents/agentTool.ts';
import type { Tool, ToolContext } from '../../src/protocol/tools.ts';
import { claudeTypes, type Fields } from '../claudeTypes.ts';
import { openWorkbench } from './workbench.ts';

/** A call in Claude Code's form, with every field that its type has. */
const calls: Readonly<Record<string, object>> = {
  Agent: {
    ...{ description: 'Look', prompt: 'Look.', subagent_type: 'explore', effort: 'high', name: 'n' },
    ...{ model: 'sonnet', run_in_background: false, team_name: 't', mode: 'plan', isolation: 'worktree' },
  },
  AskUserQuestion: {
    questions: [
      {
        ...{ question: 'Which?', header: 'Which', multiSelect: false },
        options: [
          { label: 'a', description: 'the first', preview: 'A' },
          { label: 'b', description: 'the second' },
        ],
      },
    ],
    ...{ answers: {}, annotations: {}, metadata: { source: 'remember' } },
  },
  Bash: {
    ...{ command: 'ls', timeout: 1000, description: 'List', run_in_background: false },
    dangerouslyDisableSandbox: false,
  },
  Edit: { file_path: 'a.txt', old_string: 'a', new_string: 'b', replace_all: false },
  ExitPlanMode: { allowedPrompts: [], plan: 'Do it.' },
  Glob: { pattern: '*.ts', path: '.' },
  Grep: {
    ...{
      pattern: 'a',
      path: '.',
      glob: '*.ts',
      output_mode: 'content',
      '-B': 1,
      '-A': 1,
      '-C': 1,
      context: 1,
    },
    ...{ '-n': true, '-i': true, '-o': false, type: 'ts', head_limit: 5, offset: 0, multiline: false },
  },
  Read: { file_path: 'a.txt', offset: 1, limit: 2, pages: '1-2', allow_large: false },
  TodoWrite: { todos: [{ content: 'a', status: 'pending', activeForm: 'Doing a' }] },
  WebFetch: { url: 'https://example.com', prompt: 'What is it?', offset: 0 },
  Write: { file_path: 'b.txt', content: 'b' },
};

/** Additional inputs of ours: several edits in one call; Claude Code reads the plan from a file. */
const added: Readonly<Record<string, readonly string[]>> = { Edit: ['edits'], ExitPlanMode: ['plan'] };

const nameOf = (field: string): string => field.replace('?', '');

async function sharedTools() {
  const bench = await openWorkbench();
  await writeFile(join(bench.root, 'a.txt'), 'a\n');
  const explore = {
    ...{ name: 'explore', description: 'Looks.', prompt: '', scope: 'builtin' as const },
    ...{ disallowedTools: [], skills: [], ignored: [] },
  };
  const port = {
    definitions: [explore],
    modelProblem: () => undefined,
    newId: async () => 'a1',
    open: () => Promise.reject(new Error('not here')),
  };
  const agent = agentTool(port, () => Promise.reject(new Error('not here')));
  return { bench, tools: [...bench.tools.tools, agent].filter(({ name }) => name in claudeTypes.tools) };
}

test('every tool of that name accepts the fields of the published type, with the same types', async () => {
  const { bench, tools } = await sharedTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(claudeTypes.tools).sort());
  expect(tools.map((tool) => [tool.name, disagreements(tool)])).toEqual(tools.map(({ name }) => [name, []]));
  await bench.close();
});

test('a call in the published form is valid, with all of its fields', async () => {
  const { bench, tools } = await sharedTools();
  const invalid: unknown[] = [];
  for (const { name, prepare } of tools) {
    const fields = Object.keys(claudeTypes.tools[name] ?? {}).map(nameOf);
    expect(Object.keys(calls[name] ?? {})).toEqual(expect.arrayContaining(fields));
    const prepared = await (name === 'Agent'
      ? prepare(calls[name], {} as ToolContext)
      : bench.prepare(name, calls[name]));
    if (prepared.type !== 'ready') invalid.push([name, prepared]);
  }
  expect(invalid).toEqual([]);
  await bench.close();
});

function disagreements({ name, schema }: Tool): string[] {
  const type: Fields = claudeTypes.tools[name] ?? {};
  const { properties = {}, required = [] } = schema.parameters as {
    properties?: Record<string, { type?: string; enum?: readonly string[]; const?: string }>;
    required?: readonly string[];
  };
  const names = Object.keys(type).map(nameOf);
  return Object.entries(properties).flatMap(
    ([field, { type: own, const: only, enum: choices = only === undefined ? [] : [only] }]) => {
      if (added[name]?.includes(field)) return [];
      if (!names.includes(field)) return [`${field} is not in the published type`];
      const published = type[field] ?? type[`${field}?`] ?? '';
      const isOptionalThere = type[field] === undefined;
      const basic = own === 'integer' ? 'number' : own;
      const isChoice = published.includes('|');
      const isSame = isChoice
        ? basic === 'string' && choices.every((one) => published.split('|').includes(one))
        : basic === published && choices.length === 0;
      return [
        ...(isSame ? [] : [`${field} is ${basic} ${choices.join('|')}, not ${published}`]),
        ...(isOptionalThere && required.includes(field) ? [`${field} is required here`] : []),
      ];
    },
  );
}
