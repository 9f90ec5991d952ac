import type { DoctorPorts } from '../../../src/cli/doctor/ports.ts';
import { createAddedDirectories } from '../../../src/config/addedDirectories.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import type { LoadedSettings } from '../../../src/config/types.ts';

export interface Given extends Partial<Omit<DoctorPorts, 'place' | 'loaded'>> {
  readonly env?: Readonly<Record<string, string>>;
  readonly dataRoot?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly loaded?: Partial<LoadedSettings>;
}

/** A healthy machine without any real checks; every part can be replaced. */
export function doctorPorts(given: Given = {}): DoctorPorts {
  const { env = {}, dataRoot = '/nonexistent/data', settings = {}, loaded = {}, ...rest } = given;
  return {
    place: {
      cwd: '/nonexistent',
      root: '/nonexistent',
      home: '/nonexistent',
      dataRoot,
      packageRoot: '/nonexistent',
      version: '1.2.3',
      env,
    },
    loaded: {
      settings: settingsSchema.parse(settings),
      rules: [],
      problems: [],
      sources: {},
      files: [],
      untrusted: [],
      grants: [],
      servers: [],
      hooks: [],
      heldServers: [],
      managedDenyRead: [],
      ownModels: [],
      invalidProviders: [],
      added: createAddedDirectories([]),
      ownExcludedCommands: [],
      enabledServers: [],
      unsupported: [],
      refusedModes: {},
      ...loaded,
    },
    isTrusted: true,
    node: { version: '24.1.0', path: '/usr/bin/node', platform: 'linux x64' },
    terminal: undefined,
    network: null,
    run: async () => '1.2.3',
    git: async () => ({ output: '1.2.3', problem: '' }),
    sandbox: async () => ({ type: 'on', mode: 'workspace-write' }),
    now: () => 0,
    ...rest,
  };
}
