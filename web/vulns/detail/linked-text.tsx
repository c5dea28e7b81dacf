import { AppLink, OutLink } from '../../ui/app-link'

// A link does not include the punctuation that ends a sentence.
const links = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])|\b(PH-[1-9]\d{0,14})\b/g

export function LinkedText({ text }: { text: string }) {
  const parts = text.split(links).filter((part) => part !== undefined)
  return parts.map((part, index) => {
    const key = `${index} ${part}`
    if (/^https?:\/\//.test(part))
      return (
        <OutLink key={key} href={part}>
          {part}
        </OutLink>
      )
    const id = /^PH-(\d+)$/.exec(part)?.[1]
    return id ? (
      <AppLink key={key} to={`/vulns/${id}`}>
        {part}
      </AppLink>
    ) : (
      part
    )
  })
}
