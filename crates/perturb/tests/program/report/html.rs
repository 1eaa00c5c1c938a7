//! The report for a browser: what is in it, that nothing of others is taken for markup, where it goes, and how it works
//! in a real one.

use super::browser::Browser;
use super::{check_golden, report, synthetic};
use crate::scene::{FINE, UNUSABLE, USAGE};
use serde_json::{json, Value};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a page must not take for its own.
const HOSTILE: &str = "/* </script><script>window.pwned=1</script> */\n\
    int f(int a) { return a + 1; } // <img src=x onerror=\"window.pwned=2\">\n\
    char *s = \"a\0b\x1b[31m\u{202e}&lt;\" + '\"';\n</code></pre><!-- + \n";
const HOSTILE_FILE: &str = "src/<b>a&b</b> \"x\".c";
const HOSTILE_TEST: &str = "<svg onload='window.pwned=3'>&amp;\x07";

fn html(work: &Path) -> String {
    report(work, &["--format", "html"]).expect(FINE).stdout
}

fn hostile() -> tempfile::TempDir {
    synthetic::sampled(&[(HOSTILE_FILE, HOSTILE)], HOSTILE_TEST)
}

/// More than one page has room for.
fn many() -> tempfile::TempDir {
    let text = "int f(int a) { return a + 1; }\n".repeat(1_800);
    synthetic::sampled(&[("src/a b.c", &text), ("src/deep/c.c", &text), ("d.c", &text)], "adds")
}

/// The page without our own style and script.
fn markup(page: &str) -> String {
    let without = |text: String, tag: &str| {
        let (head, rest) = text.split_once(&format!("<{tag}>")).unwrap();
        let (_, tail) = rest.split_once(&format!("</{tag}>")).unwrap();
        format!("{head}{tail}")
    };
    without(without(page.to_string(), "style"), "script")
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_page_for_a_browser_is_as_its_golden_file_says() {
    let work = synthetic::store();
    let page = markup(&html(work.path())).replace(work.path().to_str().unwrap(), "WORK");
    let policy = page.split("'sha256-").nth(1).unwrap().split('\'').next().unwrap().to_string();
    check_golden(&page.replace(&policy, "HASH").replace("><", ">\n<"), "report.html");
}

#[test]
fn a_page_names_nothing_from_elsewhere_and_all_its_links_lead_somewhere() {
    for work in [synthetic::store(), synthetic::unfinished(), hostile()] {
        let page = html(work.path());
        for foreign in ["http:", "https:", "//cdn", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        let page = markup(&page);
        assert!(values(&page, "src").is_empty());
        let ids: Vec<&str> = values(&page, "id");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id is there twice");
        for link in values(&page, "href") {
            let is_known = link.strip_prefix('#').is_some_and(|id| ids.contains(&id));
            assert!(is_known || link == "data:,", "{link} leads nowhere");
        }
    }
}

#[test]
fn nothing_of_sources_and_tests_is_taken_for_markup() {
    let page = markup(&html(hostile().path()));
    for bad in ["<script", "<img", "<svg onload", "<b>a&", "\0", "\x1b", "\x07", "\u{202e}", "<!--"] {
        assert!(!page.contains(bad), "{bad:?}");
    }
    for good in
        ["&lt;/script&gt;&lt;script&gt;", "␀b␛[31m[U+202E]&amp;lt;", "&lt;b&gt;a&amp;b&lt;/b&gt; &quot;x&quot;.c"]
    {
        assert!(page.contains(good), "{good}");
    }
}

#[test]
fn live_mutants_come_in_the_order_in_which_they_are_worth_a_look() {
    let page = html(synthetic::store().path());
    let list = page.split("class=\"ranked\"").nth(1).unwrap().split("</ol>").next().unwrap();
    let ids: Vec<&str> = values(list, "id").into_iter().filter(|id| id.starts_with("l-")).collect();
    assert_eq!(ids, ["l-0000000000000004", "l-0000000000000006", "l-0000000000000008"]);
    assert!(
        list.contains("perturb run --work") && list.contains("--mutant 0000000000000004 --engine rebuild --tce off")
    );
    assert!(list.contains("/* perturb: ignore[ROR] REASON */"));
}

#[test]
fn a_sample_has_a_picture_of_its_interval() {
    let text = "a + b;\n".repeat(50);
    let page = html(synthetic::sampled(&[("a.c", &text)], "t").path());
    assert!(
        page.contains("After 20 mutants the interval was 50.9 to 91.3 %; after 50 it is 61.8 to 86.9 %."),
        "the caption"
    );
    assert!(page.contains("<path class=\"band\" d=\"M") && page.contains("95 % sure"));
    assert!(!html(synthetic::store().path()).contains("<svg"));
}

#[test]
fn many_mutants_get_an_index_and_a_page_for_each_file() {
    let work = many();
    for out in [&[][..], &["--out", "/dev/null"]] {
        let arguments = [&["--format", "html"], out].concat();
        report(work.path(), &arguments).expect_error(USAGE, &["5400 mutants", "--out"]);
    }
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("the report.html");
    for _ in 0..2 {
        let ran = report(work.path(), &["--format", "html", "--out", file.to_str().unwrap()]).expect(FINE);
        assert!(ran.stderr.contains("wrote") && ran.stderr.contains("3 pages in"), "{}", ran.stderr);
        assert_eq!(names(place.path()), ["the report.html", "the report_files"]);
        let folder = place.path().join("the report_files");
        assert_eq!(names(&folder), ["d.c.html", "report.css", "report.js", "src-a-b.c.html", "src-deep-c.c.html"]);
        for page in ["the report.html", "the report_files/src-a-b.c.html"] {
            expect_links(&place.path().join(page));
        }
    }
    // A folder that is not ours is left alone.
    fs::remove_file(place.path().join("the report_files/report.css")).unwrap();
    let again = report(work.path(), &["--format", "html", "--out", file.to_str().unwrap()]);
    again.expect_error(UNUSABLE, &["was not written by perturb"]);
    assert_eq!(names(place.path()), ["the report.html", "the report_files"]);
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every link of a page leads to a file that is there, and to an id in it.
fn expect_links(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    let links = values(&text, "href").into_iter().chain(values(&text, "src"));
    let links: HashSet<&str> = links.filter(|link| *link != "data:,").collect();
    let mut ids_of = std::collections::HashMap::new();
    for link in links {
        let (file, id) = link.split_once('#').unwrap_or((link, ""));
        let target =
            if file.is_empty() { page.to_path_buf() } else { page.parent().unwrap().join(file.replace("%20", " ")) };
        let ids = ids_of.entry(target.clone()).or_insert_with(|| {
            let text = fs::read_to_string(&target).unwrap_or_else(|error| panic!("{link}: {error}"));
            values(&text, "id").into_iter().map(String::from).collect::<HashSet<_>>()
        });
        assert!(id.is_empty() || ids.contains(id), "{link} leads nowhere");
    }
}

#[test]
fn a_name_that_is_no_page_is_a_folder_with_an_index() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("report");
    let arguments = ["--format", "html", "--out", folder.to_str().unwrap()];
    report(synthetic::store().path(), &arguments).expect(FINE);
    assert_eq!(names(&folder), ["index.html"]);
    report(many().path(), &arguments).expect(FINE);
    assert_eq!(names(&folder), ["index.html", "index_files"]);
    let nowhere = place.path().join("no/such");
    let arguments = ["--format", "html", "--out", nowhere.to_str().unwrap()];
    report(synthetic::store().path(), &arguments).expect_error(UNUSABLE, &["cannot make the folder", "no/such"]);
}

/// A page on the disk.
fn saved(work: &Path) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("report.html");
    report(work, &["--format", "html", "--out", file.to_str().unwrap()]).expect(FINE);
    (place, file)
}

/// Mutants of the sources that one can see.
const SEEN: &str =
    "[...document.querySelectorAll('#sources .m')].filter(m => m.checkVisibility()).map(m => m.id.slice(-2)).join()";
/// Mutants of the list of live ones.
const LISTED: &str =
    "[...document.querySelectorAll('.ranked .m')].filter(m => m.checkVisibility()).map(m => m.id.slice(-2)).join()";

#[test]
fn in_a_browser_filters_search_and_keys_work() {
    let Some(mut browser) = Browser::start() else { return };
    let (_place, file) = saved(synthetic::store().path());
    browser.open(&file, "");
    browser.wait_for("!document.querySelector('.filters').hidden");
    assert_eq!(browser.ask("document.querySelectorAll('#sources .m').length"), 16);
    assert_eq!(browser.ask(LISTED), "04,06,08");
    // By outcome.
    browser.ask("document.querySelector('input[value=not-infected]').click()");
    browser.ask("document.querySelectorAll('details.file').forEach(file => file.open = true)");
    assert_eq!((browser.ask(LISTED), browser.ask(SEEN)), (json!("06"), json!("06")));
    assert_eq!(browser.ask("document.querySelector('#found').textContent"), "1 mutant in 1 file");
    browser.ask("document.querySelector('input[value=killed]').click()");
    assert_eq!(browser.ask(SEEN), "00,01,02,03,06");
    browser.ask("document.querySelector('#clear').click()");
    // By operator.
    browser.ask("document.querySelector('input[value=AOR]').click()");
    assert_eq!((browser.ask(LISTED), browser.ask(SEEN)), (json!(""), json!("0a,0c,0d,0e,0f,0b")));
    browser.ask("document.querySelector('#clear').click()");
    // By text, with keys alone.
    browser.ask("document.activeElement.blur()");
    browser.press("/");
    assert_eq!(browser.ask("document.activeElement.id"), "search");
    "fills up".chars().for_each(|key| browser.press(&key.to_string()));
    browser.wait_for("document.querySelector('#found').textContent === '4 mutants in 1 file'");
    assert_eq!(browser.ask(SEEN), "00,01,02,03");
    browser.press("Escape");
    assert_eq!(
        browser.ask("document.querySelector('#search').value + document.querySelector('#found').textContent"),
        ""
    );
    expect_keys(&mut browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    expect_requests(&browser, file.parent().unwrap());
}

/// From one mutant to the next, open and close, help, light and dark.
fn expect_keys(browser: &mut Browser) {
    let focused = "document.activeElement.parentElement.id";
    let step = |browser: &mut Browser, key: &str| -> Value {
        browser.press(key);
        browser.ask(focused)
    };
    assert_eq!(step(browser, "j"), "l-0000000000000004");
    assert_eq!(step(browser, "j"), "l-0000000000000006");
    assert_eq!(step(browser, "k"), "l-0000000000000004");
    let is_open = "document.activeElement.parentElement.open";
    assert_eq!(browser.ask(is_open), false);
    browser.press("Enter");
    assert_eq!(browser.ask(is_open), true);
    browser.press("?");
    assert_eq!(browser.ask("document.querySelector('#keys').open"), true);
    browser.press("?");
    assert_eq!(browser.ask("document.querySelector('#keys').open"), false);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let before = browser.ask(ground);
    browser.press("t");
    assert_ne!(browser.ask(ground), before);
    // All that can be worked with can be reached.
    browser.ask("document.activeElement.blur()");
    browser.press("Tab");
    assert_eq!(browser.ask("document.activeElement.matches('a, button, input, summary')"), true);
}

#[track_caller]
fn expect_requests(browser: &Browser, folder: &Path) {
    let own = format!("file://{}/", folder.display());
    let requests = browser.requests();
    assert!(!requests.is_empty());
    let foreign: Vec<_> = requests
        .iter()
        .filter(|url| !url.starts_with(&own) && !url.starts_with("data:") && **url != "about:blank")
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[test]
fn in_a_browser_a_hostile_source_is_text() {
    let Some(mut browser) = Browser::start() else { return };
    let (_place, file) = saved(hostile().path());
    browser.open(&file, "");
    assert_eq!(browser.ask("String(window.pwned)"), "undefined");
    assert_eq!(browser.ask("document.querySelectorAll('img, script').length"), 1);
    let first = "document.querySelector('.source > li > code').textContent";
    assert_eq!(browser.ask(first), HOSTILE.lines().next().unwrap());
    assert_eq!(browser.complaints(), Vec::<String>::new());
    expect_requests(&browser, file.parent().unwrap());
}

#[test]
fn in_a_browser_one_goes_from_the_index_to_a_mutant_and_back() {
    let Some(mut browser) = Browser::start() else { return };
    let (_place, file) = saved(many().path());
    browser.open(&file, "");
    browser.wait_for("!document.querySelector('.filters').hidden");
    browser.ask(
        "document.querySelector('#search').value = 'deep'; document.querySelector('#search').dispatchEvent(new \
         Event('input'))",
    );
    browser.wait_for("document.querySelector('#found').textContent.endsWith('in 1 file')");
    let rows = "[...document.querySelectorAll('tr.entry')].filter(row => row.checkVisibility()).length";
    assert_eq!(browser.ask(rows), 1);
    browser.ask("document.querySelector('.ranked .jump a').click()");
    browser.wait_for("location.pathname.endsWith('.c.html') && document.readyState === 'complete'");
    browser.wait_for("document.activeElement.parentElement.id === location.hash.slice(1)");
    assert_eq!(browser.ask("document.activeElement.parentElement.open"), true);
    browser.ask("document.querySelector('nav a').click()");
    browser.wait_for("location.pathname.endsWith('/report.html') && document.readyState === 'complete'");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    expect_requests(&browser, file.parent().unwrap());
}
