package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links of the repository's pages, as GitHub shows them, and names of pages in sources; {@code docs/build} checks those of the site. */
@Tag("house")
class LinksTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s:#]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern PAGE = Pattern.compile("(?<![\\w/.-])docs/[\\w/-]+[.]md");

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(Sources.documents());
        try (Stream<Path> files = Files.list(Sources.module(""))) {
            files.filter(file -> file.toString().endsWith(".md") && !file.endsWith("README.md"))
                    .forEach(pages::add);
        }
        return pages;
    }

    @Test
    void leadToFilesAndHeadingsThatExist() throws IOException {
        Set<String> broken = new TreeSet<>();
        int links = 0;
        for (Path page : pages()) {
            String text = BLOCK.matcher(Sources.text(page)).replaceAll("");
            for (Matcher link = LINK.matcher(text); link.find(); links++) {
                Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
                String heading = link.group(2);
                if (!Files.exists(target)
                        || heading != null && !headings(target).contains(heading)) {
                    broken.add(page + ": " + link.group());
                }
            }
        }
        assertTrue(links > 100, "only " + links + " links were found");
        assertEquals(Set.of(), broken);
    }

    /** As GitHub makes an anchor of a heading. */
    private static Set<String> headings(Path page) throws IOException {
        return HEADING.matcher(BLOCK.matcher(Sources.text(page)).replaceAll(""))
                .results()
                .map((MatchResult found) -> found.group(1)
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}\\p{M}_ -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    @Test
    void pagesThatSourcesNameExist() throws IOException {
        List<Path> files = new ArrayList<>(pages());
        for (Path module : Sources.modules()) {
            files.addAll(Sources.java(module, List.of("main", "test")));
        }
        Set<String> unknown = new TreeSet<>();
        Set<String> known = new TreeSet<>();
        for (Path file : files) {
            for (Matcher page = PAGE.matcher(Sources.text(file)); page.find(); ) {
                (Files.exists(Sources.module(page.group())) ? known : unknown).add(page.group() + " in " + file);
            }
        }
        assertTrue(known.size() > 10, known::toString);
        assertEquals(Set.of(), unknown);
    }

    /** A page includes a region of code that runs, because a copy would grow old; the README is read without the site. */
    @Test
    void pagesHaveNoCopiesOfJava() throws IOException {
        Set<String> copies = new TreeSet<>();
        for (Path page : Sources.documents()) {
            if (!page.endsWith("README.md") && Sources.text(page).contains("```java\n")) {
                copies.add(page.toString());
            }
        }
        assertEquals(Set.of(), copies);
    }

    /** Longer, and few would read all of it. */
    @Test
    void theFrontPageIsShort() throws IOException {
        List<String> lines = Files.readAllLines(Sources.module("README.md"));
        assertTrue(lines.size() <= 90, lines.size() + " lines");
        assertEquals(
                List.of(), lines.stream().filter(line -> line.length() > 120).toList());
    }
}
