import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { idLinks } from '../../../worker/domain/names/id-links'
import { splitTitle } from '../../../worker/domain/words/plain-text'
import { knownUpdate } from '../../../worker/domain/words/last-update'
import { formatDate } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { useSourceName } from './source-name'
import { LongText } from '../long-text'
import classes from '../vuln-detail.module.css'

const shownFirst = 12

export function AboutCard({ vuln }: { vuln: VulnDetail }) {
  const { cveid, state, published, modified, assigner, cwe_ids, aliases, sources } = vuln
  const { title, rest } = splitTitle(vuln)
  const nameSource = useSourceName()
  return (
    <Card title="Summary">
      {state === 'rejected' && (
        <p className={classes.rejectedNote}>Its CVE was withdrawn: this is not a vulnerability.</p>
      )}
      {title && <p className={classes.title}>{title}</p>}
      <LongText
        text={
          rest ||
          (state === 'awaiting'
            ? 'Another source mentions it, but its CVE record is not published or not loaded yet.'
            : 'No summary.')
        }
      />
      <Facts>
        {cveid && (
          <Fact label="CVE">
            {cveid} at <Links links={idLinks(cveid).map(({ site, url }) => ({ text: site, url }))} />
          </Fact>
        )}
        <Fact label="CWE">{cwe_ids.length > 0 ? <Links links={cwe_ids.map(weaknessLink)} /> : 'n/a'}</Fact>
        {aliases.length > 0 && (
          <Fact label="Also known as">
            <Aliases aliases={aliases} />
          </Fact>
        )}
        <Fact label="Published">
          <Timestamp at={published} />
        </Fact>
        <Fact label="Modified">
          <Timestamp at={modified} />
        </Fact>
        <Fact label="Last update">
          <Timestamp at={knownUpdate(vuln)} withTime />
        </Fact>
        <Fact label="Assigner">{assigner ?? 'n/a'}</Fact>
        <Fact label="Sources">
          {sources
            .map(({ source, modified: at }) => (at ? `${nameSource(source)} of ${formatDate(at)}` : nameSource(source)))
            .join(', ') || 'n/a'}
        </Fact>
      </Facts>
    </Card>
  )
}

/** Joined by commas; what has no page is text. */
const Links = ({ links }: { links: { text: string; url: string | undefined }[] }) =>
  links.map(({ text, url }, at) => (
    <span key={text}>
      {at > 0 && ', '}
      {url ? <OutLink href={url}>{text}</OutLink> : text}
    </span>
  ))

function Aliases({ aliases }: { aliases: string[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? aliases : aliases.slice(0, shownFirst)
  return (
    <>
      <Links links={visible.map((alias) => ({ text: alias, url: idLinks(alias)[0]?.url }))} />
      {visible.length < aliases.length && (
        <>
          {' '}
          <UnstyledButton className={classes.more} onClick={() => setShowsAll(true)}>
            {aliases.length - visible.length} more
          </UnstyledButton>
        </>
      )}
    </>
  )
}

function weaknessLink(cweId: string) {
  const number = /^CWE-(\d+)$/.exec(cweId)?.[1]
  return { text: cweId, url: number && `https://cwe.mitre.org/data/definitions/${number}.html` }
}
