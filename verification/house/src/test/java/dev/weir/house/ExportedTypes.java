package dev.weir.house;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The public types of the packages that a module exports to everyone. */
final class ExportedTypes {
    private ExportedTypes() {}

    static Stream<Class<?>> of(Products module) {
        return descriptor(module).exports().stream()
                .filter(exported -> !exported.isQualified())
                .flatMap(exported -> types(module.classes(), exported.source()));
    }

    /** A module without a descriptor has one package, of its name. */
    private static ModuleDescriptor descriptor(Products module) {
        if (!Files.exists(module.classes().resolve("module-info.class"))) {
            String name = "dev.weir." + module;
            return ModuleDescriptor.newModule(name).exports(name).build();
        }
        return ModuleFinder.of(module.classes()).findAll().iterator().next().descriptor();
    }

    private static Stream<Class<?>> types(Path classes, String exported) {
        Path folder = classes.resolve(exported.replace('.', '/'));
        return Products.files(folder, ".class").stream()
                .filter(file -> folder.equals(file.getParent()))
                .map(file -> file.getFileName().toString().replace(".class", ""))
                .filter(name -> !name.equals("package-info"))
                .<Class<?>>map(name -> loaded(exported + "." + name))
                .filter(ExportedTypes::isVisible);
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name, false, ExportedTypes.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** Public or protected, as all around it. */
    static boolean isVisible(Class<?> type) {
        return !type.isAnonymousClass()
                && !type.isLocalClass()
                && (Modifier.isPublic(type.getModifiers()) || Modifier.isProtected(type.getModifiers()))
                && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
    }
}
