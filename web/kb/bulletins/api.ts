import { listBulletins, type BulletinQueryInput } from '../../../worker/kb/bulletins/contract'
import { askPage } from '../../lib/ask'

export const bulletinsQuery = (query: BulletinQueryInput) =>
  askPage(['bulletins', 'list', query], listBulletins, { query }, 'unable to get bulletins')
