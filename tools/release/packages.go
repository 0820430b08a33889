package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// projectAddress is where the project is published. The owner in it is the only placeholder: the sources have no public
// address yet. The flag -repository replaces it.
const projectAddress = "https://github.com/OWNER/thermsim"

// manifestFiles are the files for package managers and catalogues in a release. Their templates have the same names.
var manifestFiles = []string{
	"manifests/conda/recipe.yaml",
	"manifests/homebrew/thermsim.rb",
	"manifests/schemastore.json",
	"manifests/winget/thermsim.thermsim.installer.yaml",
	"manifests/winget/thermsim.thermsim.locale.en-US.yaml",
	"manifests/winget/thermsim.thermsim.yaml",
}

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*"))

// packageData is the data of the templates.
type packageData struct {
	Version, Python, Repository, Date, Time, Arch string
	sums                                          map[string]string // SHA-256 by file
}

// download is a published file.
type download struct {
	URL, SHA256 string
	Folder      string // in an archive
	Name        string // of a wheel after download, the same on every system
	Selector    string // of conda
}

func (r *release) data(sums map[string]string) packageData {
	return packageData{Version: r.version, Python: pythonVersion(r.version), Repository: r.repository,
		Date: r.time.Format(time.DateOnly), Time: r.time.Format(time.RFC3339), sums: sums}
}

// Archive is the archive of a target.
func (d packageData) Archive(target string) (download, error) {
	folder, suffix := archiveName(d.Version, target)
	found, err := d.file(folder + suffix)
	found.Folder = folder
	return found, err
}

// Wheels are the Python packages of all targets.
func (d packageData) Wheels() (list []download, err error) {
	selectors := map[string]string{"linux/amd64": "linux and x86_64", "linux/arm64": "linux and aarch64",
		"darwin/amd64": "osx and x86_64", "darwin/arm64": "osx and arm64", "windows/amd64": "win and x86_64"}
	for _, target := range targets {
		wheel, err := d.file(wheelName(d.Version, target))
		if err != nil {
			return nil, err
		}
		wheel.Name, wheel.Selector = "thermsim-"+d.Python+"-py3-none-any.whl", selectors[target]
		list = append(list, wheel)
	}
	return list, nil
}

func (d packageData) file(name string) (download, error) {
	sum, ok := d.sums[name]
	if !ok {
		return download{}, fmt.Errorf("%s has no checksum", name)
	}
	return download{URL: fmt.Sprintf("%s/releases/download/v%s/%s", d.Repository, d.Version, name), SHA256: sum}, nil
}

// manifests renders the files for package managers from the checksums of a release of all targets.
func (r *release) manifests(sums map[string]string) (list []entry, err error) {
	for _, name := range manifestFiles {
		text, err := render(path.Base(name), r.data(sums))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name, text, 0o644})
	}
	return list, nil
}

func render(name string, data packageData) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// nfpm makes packages for Debian and Red Hat.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// linuxPackages packs the files of an archive for Debian and Red Hat.
func (r *release) linuxPackages(target string, files []entry) (list []entry, err error) {
	dir, err := os.MkdirTemp("", "thermsim-packages")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	data := r.data(nil)
	data.Arch = strings.TrimPrefix(target, "linux/")
	config, err := render("nfpm.yaml", data)
	if err != nil {
		return nil, err
	}
	if err := writeFiles(dir, append(files, entry{"nfpm.yaml", config, 0o644})); err != nil {
		return nil, err
	}
	folder, _ := archiveName(r.version, target)
	for _, format := range []string{"deb", "rpm"} {
		name := folder + "." + format
		cmd := exec.Command("go", "run", nfpm, "package", "--packager", format, "--target", name)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		if _, err := output(cmd); err != nil {
			return nil, err
		}
		packed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name, packed, 0o644})
	}
	return list, nil
}

// writeFiles writes entries with the modes they have, whatever the umask is.
func writeFiles(dir string, list []entry) error {
	for _, e := range list {
		name := filepath.Join(dir, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, e.data, e.mode); err != nil {
			return err
		}
		if err := os.Chmod(name, e.mode); err != nil {
			return err
		}
	}
	return nil
}

// checksums are the SHA-256 of files by name, and the text of checksums.txt.
func checksums(list []entry) (sums map[string]string, text []byte) {
	sums = map[string]string{}
	for _, e := range inOrder(list) {
		sums[e.name] = fmt.Sprintf("%x", sha256.Sum256(e.data))
		text = fmt.Appendf(text, "%s  %s\n", sums[e.name], e.name)
	}
	return sums, text
}
