import { allCommands } from '../../src/commands/allCommands.ts';
import { findCommand } from '../../src/commands/interpret.ts';
import type { CommandHost, CommandResult } from '../../src/commands/types.ts';
import { lookupModel } from '../../src/model/catalogue.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';

/** A command host for tests; every part can be replaced. */
export function commandHost(parts: Partial<CommandHost> = {}): CommandHost {
  return {
    agent: scriptedAgent(),
    commands: allCommands,
    status: () => ({
      version: '1.2.3',
      cwd: '/home/me/project/src',
      baseUrl: 'https://api.example/v1',
      keySource: 'OPENAI_API_KEY',
      sessionFile: '/home/me/.clawdcode/projects/p/session1.jsonl',
      settingsFiles: [
        { name: '~/.clawdcode/config.json', state: 'loaded' },
        { name: '.clawdcode.json', state: 'broken' },
        { name: '.clawdcode.local.json', state: 'missing' },
      ],
      trusted: true,
      heldSettings: [],
    }),
    memory: {
      folders: { user: '/home/me/.clawdcode/memory', project: '/home/me/.clawdcode/projects/p/memory' },
      settings: { enabled: true, limit: 3, minSimilarity: 0.6, category: null },
      list: async () => [],
      add: async () => ({ type: 'refused', message: 'nothing is added in this test' }),
      search: async () => [],
    },
    agents: { agents: [], problems: [] },
    skills: {
      list: async () => ({ skills: [], problems: [] }),
      shownPath: (file) => file,
      prepare: async () => ({ problem: 'There is none.' }),
    },
    hooks: () => [],
    askAboutFolder: async () => undefined,
    unapprovedChanges: { list: async () => undefined, begin: async () => undefined, running: async () => [] },
    summaryModel: () => undefined,
    modelInfo: (id) => lookupModel(id, { unknownWindow: 128_000 }),
    config: {
      list: async () => [],
      save: async () => ({ type: 'refused', message: 'nothing is saved in this test' }),
    },
    worktrees: async () => ({ list: async () => [], clean: async () => ({ removed: [], kept: [] }) }),
    plugins: {
      list: async () => [],
      stage: async () => ({ problem: 'Nothing is added in this test.' }),
      enable: async () => undefined,
      disable: async () => undefined,
      remove: async () => undefined,
    },
    directories: {
      list: () => ['/home/me/project'],
      add: async () => ({ type: 'refused', message: 'nothing is added in this test' }),
    },
    settings: () => contextSettingsSchema.parse({}),
    rules: () => [],
    explainPermission: async () => undefined,
    listModels: async () => ({ ids: ['gpt-4.1'] }),
    readBlob: () => Promise.resolve(undefined),
    copyText: async () => ({ type: 'copied', tool: 'pbcopy' }),
    writeText: async (_text, file) => ({ type: 'done', file: `/srv/${file}` }),
    exportSession: async ({ format, file }) =>
      file === 'taken.md'
        ? { type: 'failed', message: 'taken.md is there already.' }
        : { type: 'done', file: `/srv/${file ?? `talk.${format}`}`, secrets: file === undefined ? 2 : 0 },
    doctor: async () => ({
      version: '1.2.3',
      findings: [
        { id: 'node', label: 'Node', state: 'ok', value: '24.0.0' },
        { id: 'git', label: 'git', state: 'warning', value: 'not found', fix: 'Install git.' },
      ],
      notes: [],
    }),
    projectFacts: async () => ({
      files: 3,
      isComplete: true,
      languages: [{ name: 'TypeScript', files: 2 }],
      folders: ['src/'],
      manifests: ['package.json'],
      commands: [{ command: 'npm test', runs: 'vitest' }],
      guides: ['README.md'],
      workflows: [],
      agentsBytes: undefined,
    }),
    findSession: async (id) => (id === 'session1' ? 'found' : 'unknown'),
    ...parts,
  };
}

/** Runs a command by name, as if typed. */
export async function run(name: string, args = '', host = commandHost()): Promise<CommandResult> {
  const command = findCommand(name, host.commands);
  if (command === undefined) throw new Error(`no command ${name}`);
  return command.run(args, host);
}
