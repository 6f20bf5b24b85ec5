package dev.weir.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The classes of the published modules, imported once for all rules. */
final class Imported {
    static final JavaClasses ALL = new ClassFileImporter()
            .importPaths(Stream.of(Products.values()).map(Products::classes).toList());

    private Imported() {}

    /** Those of one module, by name. */
    static Map<String, JavaClass> of(Products module) {
        return Products.files(module.classes(), ".class").stream()
                .map(file -> name(module.classes().relativize(file)))
                .filter(ALL::contain)
                .map(ALL::get)
                .collect(Collectors.toMap(JavaClass::getName, Function.identity()));
    }

    private static String name(Path file) {
        return file.toString()
                .replace(".class", "")
                .replace(file.getFileSystem().getSeparator(), ".");
    }
}
