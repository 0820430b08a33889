class Thermsim < Formula
  desc "Thermal simulation of 3D ICs"
  homepage "{{.Repository}}"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      {{- with .Archive "darwin/arm64"}}
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "darwin/amd64"}}
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  on_linux do
    on_arm do
      {{- with .Archive "linux/arm64"}}
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "linux/amd64"}}
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  def install
    bin.install "thermsim"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/thermsim.bash" => "thermsim"
    zsh_completion.install "completions/_thermsim"
    fish_completion.install "completions/thermsim.fish"
    pkgshare.install "configs", "docs", "examples"
    prefix.install "LICENSE", "THIRD_PARTY_NOTICES.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/thermsim version")
  end
end
