import { resolve } from 'node:path'
export default {
  srcDir: '..',
  srcExclude: ['**/target/**', '*/src/**', 'integrations/**', 'testservers/**'],
  outDir: 'target/site',
  cacheDir: 'target/cache',
  title: 'Weir',
  rewrites: { 'README.md': 'index.md' },
  themeConfig: { search: { provider: 'local' } },
  vite: { resolve: { alias: { vue: resolve('node_modules/vue') } } },
}
