import packageJson from '../../package.json' with { type: 'json' };

/** The build of the program. */
export interface BuildInfo {
  readonly version: string;
  /** Abbreviated; `development` in the source tree, `unknown` if built without Git history. */
  readonly commit: string;
  /** The date of the commit, or of the build if the commit is unknown: YYYY-MM-DD. */
  readonly date?: string;
}

/** Defined by scripts/build.ts. */
declare const BUILT_FROM: Pick<BuildInfo, 'commit' | 'date'> | undefined;

export const buildInfo: BuildInfo = {
  version: packageJson.version,
  ...(typeof BUILT_FROM === 'undefined' ? { commit: 'development' } : BUILT_FROM),
};

/** `1.2.3 (0123456789ab, 2026-01-31)` */
export const versionText = `${buildInfo.version} (${[buildInfo.commit, buildInfo.date].filter(Boolean).join(', ')})`;
