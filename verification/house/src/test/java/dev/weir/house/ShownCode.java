package dev.weir.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The blocks of code in pages, each of which follows a comment that names its source: a file, or {@code file#region}. Such a block
 * is equal to its source, without the indentation that all lines have in common and without the lines that mark regions.
 *
 * <p>From the root of the repository, {@code java verification/house/src/test/java/dev/weir/house/ShownCode.java} writes all of them again, and
 * adds a block where there is only the comment.
 */
final class ShownCode {
    static final Pattern BLOCK = Pattern.compile(
            "(?m)^<!-- (\\w[\\w./-]*/[\\w.-]+[.](\\w+))(?:#([\\w-]+))? -->\n(?:```\\w*\n(?:(?!```).*\n)*```\n)?");
    private static final Predicate<String> MARK =
            Pattern.compile(" *(?://|#) #(?:end)?region .*").asMatchPredicate();

    private ShownCode() {}

    public static void main(String... none) throws IOException {
        Path root = Path.of("");
        for (Path page : pages(root)) {
            String text = Files.readString(page);
            String current = current(root, text);
            if (!current.equals(text)) {
                Files.writeString(page, current);
                System.out.println(page);
            }
        }
    }

    /** The pages at the root and in {@code docs}, without what the site is built with and into. */
    static List<Path> pages(Path root) throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> files = Files.list(root)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().matches(".*[/\\\\](?:node_modules|target)[/\\\\].*"))
                    .forEach(pages::add);
        }
        return pages;
    }

    /** The page with each block as its source is now. */
    static String current(Path root, String page) throws IOException {
        Matcher block = BLOCK.matcher(page);
        StringBuilder current = new StringBuilder();
        while (block.find()) {
            String comment = block.group().substring(0, block.group().indexOf('\n') + 1);
            String code = code(root.resolve(block.group(1)), block.group(3));
            block.appendReplacement(
                    current, Matcher.quoteReplacement(comment + "```" + block.group(2) + "\n" + code + "\n```\n"));
        }
        return block.appendTail(current).toString();
    }

    private static String code(Path source, String region) throws IOException {
        List<String> lines = Files.readAllLines(source);
        if (region != null) {
            int first = mark(lines, "#region " + region, source);
            lines = lines.subList(first + 1, mark(lines, "#endregion " + region, source));
        }
        List<String> shown = lines.stream().filter(MARK.negate()).toList();
        return String.join("\n", shown).stripIndent();
    }

    private static int mark(List<String> lines, String mark, Path source) throws IOException {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).endsWith(" " + mark)) {
                return i;
            }
        }
        throw new NoSuchFileException(source.toString(), null, "has no line " + mark);
    }
}
