/** Imports of these files resolve to paths, because the files are served, not run. */
declare module 'swagger-ui-dist/*' {
  const path: string;
  export default path;
}
