/** Imports of its files resolve to paths: they are served, not run. */
declare module 'swagger-ui-dist/*' {
  const path: string;
  export default path;
}
