// The search: all words of the question must occur in a section of a page. The index is a script, loaded at the first
// question, so that the search works on pages that are opened from a folder.
const base = new URL(".", document.currentScript.src);
const most = 30; // results
const field = document.getElementById("search");
const results = document.getElementById("results");
let index;

// The index calls this function.
function searchIndex(sections) {
	for (const s of sections) {
		s.low = [s.title, s.heading, s.text].map((part) => part.toLowerCase());
	}
	index = sections;
	search();
}

// occurrences yields 0 without the word, more at the start of a word, most for a whole word.
function occurrences(text, word) {
	let score = 0;
	for (let at = text.indexOf(word); at >= 0 && score < 6; at = text.indexOf(word, at + 1)) {
		const begins = !/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ");
		const ends = !/[\p{L}\p{N}]/u.test(text[at + word.length] ?? " ");
		score += begins && ends ? 3 : begins ? 2 : 0.5;
	}
	return score;
}

// score of a word: more in the title of the page and in the heading than in the text.
function score(section, word) {
	const [title, heading, text] = section.low.map((part) => occurrences(part, word));
	return 8 * Math.min(3, title) + 6 * Math.min(3, heading) + text;
}

// rank of a section; words that follow each other as in the question count again.
function rank(section, words) {
	const scores = words.map((word) => score(section, word));
	const phrase = words.length > 1 ? score(section, words.join(" ")) : 0;
	return scores.includes(0) ? 0 : scores.reduce((a, b) => a + b) + 2 * phrase;
}

function mark(to, text, words) {
	const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
	text.split(new RegExp(`(${escaped.join("|")})`, "giu")).forEach((part, n) => {
		to.append(n % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part);
	});
}

function item(section, words) {
	const link = document.createElement("a");
	link.href = new URL(section.page + (section.id ? "#" + section.id : ""), base);
	mark(link, section.heading === section.title ? section.title : `${section.title}: ${section.heading}`, words);
	const first = Math.min(...words.map((word) => section.low[2].indexOf(word)).filter((at) => at >= 0), 1e9);
	const from = first < 1e9 ? Math.max(0, section.text.lastIndexOf(" ", first - 60)) : 0;
	const text = document.createElement("p");
	mark(text, (from > 0 ? "... " : "") + section.text.slice(from, from + 200).replace(/\S{0,30}$/, "..."), words);
	const entry = document.createElement("li");
	entry.append(link, text);
	return entry;
}

function search() {
	const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	document.body.classList.toggle("searching", words.length > 0);
	if (words.length === 0 || !index) {
		return;
	}
	const found = index.map((section) => ({ section, rank: rank(section, words) })).filter((f) => f.rank > 0);
	found.sort((a, b) => b.rank - a.rank);
	const title = document.createElement("h1");
	title.textContent = found.length === 1 ? "1 section" : `${found.length || "No"} sections`;
	const list = document.createElement("ol");
	list.append(...found.slice(0, most).map((f) => item(f.section, words)));
	results.replaceChildren(title, list);
}

field.addEventListener("input", () => {
	if (!index && !document.getElementById("index")) {
		document.head.append(Object.assign(document.createElement("script"), { id: "index", src: new URL("index.js", base) }));
	}
	search();
});
results.addEventListener("click", (event) => {
	if (event.target.closest("a")) {
		field.value = ""; // a link to a section of this page
		search();
	}
});
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== field) {
		event.preventDefault();
		field.focus();
	} else if (event.key === "Escape") {
		field.value = "";
		search();
	}
});
