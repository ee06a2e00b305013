import packageJson from '../../package.json' with { type: 'json' };

/** What a program was made of. */
export interface BuildInfo {
  readonly version: string;
  /** Of the sources, abbreviated; `development` in the source tree, `unknown` where the sources had no history. */
  readonly commit: string;
  /** Of the commit, or of the build where that is unknown: YYYY-MM-DD. */
  readonly date?: string;
}

/** scripts/build.ts puts the commit and its date here. */
declare const BUILT_FROM: Pick<BuildInfo, 'commit' | 'date'> | undefined;

export const buildInfo: BuildInfo = {
  version: packageJson.version,
  ...(typeof BUILT_FROM === 'undefined' ? { commit: 'development' } : BUILT_FROM),
};

/** `1.2.3 (0123456789ab, 2026-01-31)` */
export const versionText = ({ version, commit, date }: BuildInfo = buildInfo): string =>
  `${version} (${date === undefined ? commit : `${commit}, ${date}`})`;
