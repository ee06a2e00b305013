/** Its files are served, not run: what is imported is a path. */
declare module 'swagger-ui-dist/*' {
  const path: string;
  export default path;
}
