package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names of pages in sources and pages, and what a page may contain; {@code docs/build} checks the links. */
@Tag("house")
class LinksTest {
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

    /** Longer, and few would read all of it. */
    @Test
    void theFrontPageIsShort() throws IOException {
        List<String> lines = Files.readAllLines(Sources.module("README.md"));
        assertTrue(lines.size() <= 90, lines.size() + " lines");
        assertEquals(
                List.of(), lines.stream().filter(line -> line.length() > 120).toList());
    }

    /** Wider, and it is cut off on the site, where blocks with a language wrap. */
    @Test
    void drawingsAreNarrow() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path page : ShownCode.pages(Sources.module(""))) {
            boolean isIn = false;
            boolean isDrawing = false;
            for (String line : Files.readAllLines(page)) {
                if (line.startsWith("```")) {
                    isIn = !isIn;
                    isDrawing = isIn && line.equals("```");
                } else if (isDrawing && line.length() > 104) {
                    wide.add(page + ": " + line);
                }
            }
        }
        assertEquals(List.of(), wide);
    }
}
