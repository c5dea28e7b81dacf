import {
  IconBrandDebian,
  IconBrandDocker,
  IconBrandNpm,
  IconBrandPython,
  IconBrandRust,
  IconCoffee,
} from '@tabler/icons-react'
import { IconBrandGolang, IconBrandPhp, IconDiamond, IconMountain, IconPackage } from '@tabler/icons-react'
import type { Icon } from '@tabler/icons-react'
import classes from './package.module.css'

/** Purl types in the words of their users. */
const types: Partial<Record<string, { word: string; icon: Icon }>> = {
  apk: { word: 'Alpine', icon: IconMountain },
  cargo: { word: 'Rust', icon: IconBrandRust },
  composer: { word: 'Packagist', icon: IconBrandPhp },
  deb: { word: 'Debian', icon: IconBrandDebian },
  gem: { word: 'RubyGems', icon: IconDiamond },
  golang: { word: 'Go', icon: IconBrandGolang },
  maven: { word: 'Maven', icon: IconCoffee },
  npm: { word: 'npm', icon: IconBrandNpm },
  nuget: { word: 'NuGet', icon: IconPackage },
  oci: { word: 'Container', icon: IconBrandDocker },
  pypi: { word: 'PyPI', icon: IconBrandPython },
  rpm: { word: 'RPM', icon: IconPackage },
  rpmmod: { word: 'RPM module', icon: IconPackage },
}

export function PackageType({ type }: { type: string }) {
  const { word, icon: Picture } = types[type] ?? { word: type, icon: IconPackage }
  return (
    <span className={classes.type} title={type}>
      <Picture size={16} aria-hidden />
      {word}
    </span>
  )
}
