package dev.weir.verification.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The public API is what the lists in {@code verification/api} say: a change of it changes them in the same commit, and so
 * is seen in review. To write them: {@code mvn -q -pl verification -am test -Dtest=PublicApiTest -Dweir.api=write
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("house")
class PublicApiTest {
    private static final Path LISTS = Path.of("api");

    /** What every object has is not listed. */
    private static final Set<String> OF_OBJECT = Set.of("equals", "hashCode", "toString");

    @ParameterizedTest
    @EnumSource
    void isAsListed(Products module) throws IOException {
        ModuleDescriptor descriptor = descriptor(module);
        SortedSet<String> found = new TreeSet<>();
        types(module, descriptor).forEach(type -> found.addAll(signatures(type)));
        Path list = LISTS.resolve(descriptor.name() + ".txt");
        if ("write".equals(System.getProperty("weir.api"))) {
            Files.write(list, found);
        }
        SortedSet<String> listed = new TreeSet<>(Files.readAllLines(list));
        assertEquals(List.of(), without(listed, found), "incompatible: listed in " + list + " but gone");
        assertEquals(List.of(), without(found, listed), "new: not listed in " + list + "; -Dweir.api=write lists it");
    }

    @ParameterizedTest
    @EnumSource
    void everyMethodCanBeCalledByReflection(Products module) {
        List<String> hidden = types(module, descriptor(module))
                .flatMap(type -> Arrays.stream(type.getMethods())
                        .filter(method -> !isVisible(method.getDeclaringClass()))
                        .filter(method -> method.getDeclaringClass().getName().startsWith("dev.weir."))
                        .map(method -> type.getName() + " inherits " + method))
                .toList();
        assertEquals(List.of(), hidden, "declared by a type that is not public: invoke throws IllegalAccessException");
    }

    /** A module without a descriptor has one package, of its name. */
    private static ModuleDescriptor descriptor(Products module) {
        if (!Files.exists(module.classes().resolve("module-info.class"))) {
            String name = "dev.weir." + module;
            return ModuleDescriptor.newModule(name).exports(name).build();
        }
        return ModuleFinder.of(module.classes()).findAll().iterator().next().descriptor();
    }

    private static Stream<Class<?>> types(Products module, ModuleDescriptor descriptor) {
        return descriptor.exports().stream()
                .filter(exported -> !exported.isQualified())
                .flatMap(exported -> types(module.classes(), exported.source()));
    }

    private static List<String> without(SortedSet<String> these, Collection<String> those) {
        return these.stream().filter(line -> !those.contains(line)).toList();
    }

    private static Stream<Class<?>> types(Path classes, String exported) {
        Path folder = classes.resolve(exported.replace('.', '/'));
        return Products.files(folder, ".class").stream()
                .filter(file -> folder.equals(file.getParent()))
                .map(file -> file.getFileName().toString().replace(".class", ""))
                .filter(name -> !name.equals("package-info"))
                .<Class<?>>map(name -> loaded(exported + "." + name))
                .filter(PublicApiTest::isVisible);
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name, false, PublicApiTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isVisible(Class<?> type) {
        return !type.isAnonymousClass()
                && !type.isLocalClass()
                && isVisible(type.getModifiers())
                && (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static SortedSet<String> signatures(Class<?> type) {
        SortedSet<String> lines = new TreeSet<>();
        List<Type> above = new ArrayList<>(Arrays.asList(type.getGenericInterfaces()));
        if (type.getGenericSuperclass() != null) {
            above.add(0, type.getGenericSuperclass());
        }
        lines.add(type.getName() + " = " + declaration(type)
                + above.stream().map(Type::getTypeName).collect(Collectors.joining(", ", " : ", "")));
        addMembers(type, type, lines);
        return lines;
    }

    /** As {@link Class#toGenericString}, which does not say the same on each JDK. */
    private static String declaration(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        String parameters = Stream.of(type.getTypeParameters())
                .map(parameter -> parameter + " extends " + Arrays.toString(parameter.getBounds()))
                .collect(Collectors.joining(", ", "<", ">"));
        return Modifier.toString(type.getModifiers() & ~Modifier.INTERFACE)
                + (type.isSealed() ? " sealed " : " ")
                + kind
                + (type.getTypeParameters().length == 0 ? "" : parameters);
    }

    /** With those that it inherits from types that are not public. */
    private static void addMembers(Class<?> type, Class<?> from, SortedSet<String> lines) {
        boolean closed = Modifier.isFinal(type.getModifiers());
        Stream.of(from.getDeclaredFields(), from.getDeclaredConstructors(), from.getDeclaredMethods())
                .flatMap(Arrays::stream)
                .filter(member -> from == type || !(member instanceof Constructor))
                .filter(member -> !member.isSynthetic() && !OF_OBJECT.contains(member.getName()))
                .filter(member -> Modifier.isPublic(member.getModifiers())
                        || Modifier.isProtected(member.getModifiers()) && !closed)
                .forEach(member -> lines.add(type.getName() + " . " + line(member)));
        Stream.concat(Stream.ofNullable(from.getSuperclass()), Arrays.stream(from.getInterfaces()))
                .filter(above -> above.getName().startsWith("dev.weir.") && !isVisible(above))
                .forEach(above -> addMembers(type, above, lines));
    }

    private static String line(Member member) {
        String generic = member instanceof Executable executable
                ? executable.toGenericString()
                : ((Field) member).toGenericString();
        return generic.replace(member.getDeclaringClass().getName() + "." + member.getName(), member.getName());
    }
}
