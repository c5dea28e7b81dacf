import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { SubmitEvent } from 'react'
import { useNavigate } from 'react-router-dom'
import classes from './top-bar.module.css'

export function TopSearch() {
  const navigate = useNavigate()
  const search = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const term = String(new FormData(event.currentTarget).get('search')).trim()
    if (term) void navigate(`/search/${encodeURIComponent(term)}`)
  }
  return (
    <form role="search" className={classes.search} onSubmit={search}>
      <TextInput
        name="search"
        type="search"
        aria-label="Search everything"
        placeholder="CVE, product…"
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={200}
      />
    </form>
  )
}
