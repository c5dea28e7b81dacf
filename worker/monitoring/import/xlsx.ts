// A module of its own: of a package that is imported late a bundler keeps everything.
export { streamXlsxRows } from 'hucre/xlsx'
