import { Button } from '@mantine/core'
import { useState } from 'react'
import { isMakersAdvisory, siteName } from '../../worker/domain/decisions/sites'
import type { VulnDetail } from '../../worker/vulns/detail/contract'
import { formatCount, plural } from '../lib/format'
import { OutLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Mark } from '../ui/mark'
import classes from './vuln-detail.module.css'

type Reference = VulnDetail['references'][number]

const shownFirst = 3
const advisories = 'Vendor advisories'
const kinds: [label: string, pattern: RegExp][] = [
  ['Patches and mitigations', /patch|mitigation|fix/i],
  [advisories, /vendor advisory/i],
  ['Exploits', /exploit/i],
]
const others = 'Others'
const isBroken = ({ tags }: Reference) => tags.some((tag) => /broken/i.test(tag))

/** `makers` are the vendors and products of which pages are advisories even where no source says so. */
type Props = Pick<VulnDetail, 'references'> & { makers?: string[] }

export function ReferencesCard({ references, makers = [] }: Props) {
  const [showsAll, setShowsAll] = useState(false)
  if (references.length === 0) return <Card title="References">No references yet.</Card>
  const working = references.filter((reference) => !isBroken(reference))
  const broken = references.filter(isBroken)
  const groups = Map.groupBy(working, (reference) => findReferenceKind(reference, makers))
  const shown = [...kinds.map(([label]) => label), others].flatMap((label) => {
    const list = groups.get(label) ?? []
    return list.length ? [{ label, list: showsAll ? list : list.slice(0, shownFirst) }] : []
  })
  const hidden = working.length - shown.reduce((sum, { list }) => sum + list.length, 0)
  return (
    <Card title={`References (${formatCount(references.length)})`}>
      {shown.map(({ label, list }) => (
        <div key={label} className={classes.referenceGroup}>
          <h3 className={classes.subtitle}>{label}</h3>
          <ReferenceList references={list} />
        </div>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show {formatCount(hidden)} more
        </Button>
      )}
      {broken.length > 0 && (
        <details className={classes.folded}>
          <summary>{plural(broken.length, 'broken link')}</summary>
          <ReferenceList references={broken} />
        </details>
      )}
    </Card>
  )
}

const findReferenceKind = ({ url, tags }: Reference, makers: string[]) =>
  kinds.find(([, pattern]) => tags.some((tag) => pattern.test(tag)))?.[0] ??
  (isMakersAdvisory(url, makers) ? advisories : others)

const ReferenceList = ({ references }: { references: Reference[] }) => (
  <ul className={classes.references}>
    {references.map(({ url, tags }) => (
      <li key={url}>
        <b>{siteName(url)}</b>
        <OutLink href={url}>{pathIn(url)}</OutLink>
        {tags.map((tag) => (
          <Mark key={tag} tone="plain">
            {tag}
          </Mark>
        ))}
      </li>
    ))}
  </ul>
)

const maxPath = 70

/** The address after the site, which stands before it. */
function pathIn(url: string) {
  const path = URL.canParse(url) ? url.slice(url.indexOf('/', url.indexOf('//') + 2)) : url
  return path.length > maxPath ? `${path.slice(0, maxPath)}…` : path
}
