export function toCommonJs(source: string): Promise<string>;
