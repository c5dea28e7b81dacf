import { getBulletin, listBulletins } from '../../../worker/kb/bulletins/contract'
import type { BulletinQueryInput } from '../../../worker/kb/bulletins/contract'
import { askFor, askPage } from '../../lib/ask'

export const bulletinsQuery = (query: BulletinQueryInput) =>
  askPage(['bulletins', 'list', query], listBulletins, { query }, 'unable to get bulletins')

export const bulletinQuery = (id: number) => askFor(['bulletins', 'detail', id], getBulletin, { params: { id } })
