package dev.weir.house;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files of the repository, seen from this module's directory, where its tests run. */
final class Sources {
    private static final Path ROOT = Path.of("..");

    private Sources() {}

    static String document(String name) throws IOException {
        return text(ROOT.resolve("docs").resolve(name));
    }

    /** The README and what is in docs, without what the site is built with and into. */
    static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        Set<String> built = Set.of("node_modules", "target");
        Files.walkFileTree(ROOT.resolve("docs"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return built.contains(folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    static List<Path> modules() throws IOException {
        List<Path> modules = new ArrayList<>();
        for (Path root : List.of(
                ROOT,
                ROOT.resolve("integrations/sources"),
                ROOT.resolve("integrations/insight"),
                ROOT.resolve("integrations/stores"),
                ROOT.resolve("integrations/web"),
                ROOT.resolve("integrations/spring"),
                ROOT.resolve("benchmarks"),
                ROOT.resolve("verification/lines"))) {
            try (Stream<Path> files = Files.list(root)) {
                files.filter(file -> Files.exists(file.resolve("pom.xml"))).forEach(modules::add);
            }
        }
        return modules;
    }

    /** Of the source sets "main" and "test". */
    static List<Path> java(Path module, List<String> sets) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String set : sets) {
            Path directory = module.resolve("src").resolve(set).resolve("java");
            if (Files.isDirectory(directory)) {
                try (Stream<Path> files = Files.walk(directory)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                }
            }
        }
        return found;
    }

    static Path module(String name) {
        return ROOT.resolve(name);
    }

    static String text(Path file) throws IOException {
        return Files.readString(file);
    }

    static String name(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }
}
