{{- /* The index of the search: an entry per section of a page. A script, as pages from a folder may not fetch JSON. */ -}}
{{- $index := slice -}}
{{- range $page := site.Pages -}}
  {{- $title := partialCached "title" . .Path -}}
  {{- $marked := replaceRE `(?s)<h[1-3](?: id="([^"]*)")?>(.*?)(?: <a class="anchor".*?)?</h[1-3]>` "␞$1␟$2␟" .Content -}}
  {{- range split ($marked | plainify | htmlUnescape) "␞" -}}
    {{- $part := split . "␟" -}}
    {{- if eq (len $part) 3 -}}
      {{- $text := index $part 2 | replaceRE `\s+` " " -}}
      {{- $index = $index | append (dict "page" (strings.TrimPrefix "/" $page.RelPermalink) "id" (index $part 0) "title" $title "heading" (index $part 1) "text" $text) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
searchIndex({{ $index | jsonify }})
