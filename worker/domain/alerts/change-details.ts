import { nameExploits } from '../words/exploit'
import { changeLabels, describeChange, type VulnChange } from './change'

type Value = string | number | null
/** A change as before and after; where it has neither, the label says all of it. */
type ChangeDetail = { field: VulnChange['field']; label: string; from: Value; to: Value }

const labelScore = (provisional: string[] = []) => {
  if (provisional.includes('to')) return 'Provisional score'
  return provisional.length ? 'Score (was provisional)' : changeLabels.score
}

export function detailChange(change: VulnChange): ChangeDetail[] {
  const { field } = change
  const base = { field, label: describeChange(change), from: null, to: null }
  switch (field) {
    case 'cvss':
    case 'cvss3':
    case 'cvss4':
    case 'epss':
    case 'cwe_id':
      return [{ field, label: changeLabels[field], from: change.from, to: change.to }]
    case 'score':
      return [{ field, label: labelScore(change.provisional), from: change.from, to: change.to }]
    case 'kev_added_at':
      return [{ field, label: 'CISA KEV', from: change.from ?? 'not listed', to: change.to ?? 'not listed' }]
    case 'is_exploitable':
    case 'is_confirmed':
    case 'is_in_the_news':
    case 'is_in_the_wild':
    case 'is_malicious':
      // A flag that was not set may have been denied, or never spoken of.
      return [
        {
          field,
          label: changeLabels[field],
          from: change.to ? 'not known' : 'yes',
          to: change.to ? 'yes' : 'no longer',
        },
      ]
    case 'exploits': {
      if (change.from === undefined || change.to === undefined) return [base]
      const by = change.sources.length ? ` (${change.sources.map(nameExploits).join(', ')})` : ''
      return [{ field, label: `Exploits${by}`, from: change.from, to: change.to }]
    }
    case 'versions': {
      const moves = change.moves ?? []
      if (!moves.length) return [base]
      const details = moves.map(({ name, from, to }) => ({ field, label: `Versions of ${name}`, from, to }))
      const more = change.count - moves.length
      return more > 0 ? [...details, { ...base, label: `Versions of ${more} more` }] : details
    }
    default:
      return [base]
  }
}
