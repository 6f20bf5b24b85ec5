package dev.weir.config.value;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A method or field that has {@link ConfigParam}, and can be accessed. */
sealed interface ParamMember {
    ConfigParam param();

    Type type();

    /** Such as {@code "Gate.onUpdate"}. */
    String name();

    /** Sets it to the value. */
    void set(Object target, Object value) throws Throwable;

    /** Sets it to what it is without a value and a default. */
    void clear(Object target) throws Throwable;

    /** The methods and fields of an object's class and of its superclasses, the overridden ones once. */
    static List<ParamMember> of(Object target) {
        List<ParamMember> members = new ArrayList<>();
        Set<List<Object>> methods = new HashSet<>();
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.isAnnotationPresent(ConfigParam.class)) {
                    members.add(ParamField.of(field, target));
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isBridge()
                        && method.isAnnotationPresent(ConfigParam.class)
                        && methods.add(signature(method))) {
                    members.add(ParamMethod.of(method));
                }
            }
        }
        return members;
    }

    /* A private method overrides nothing. */
    private static List<Object> signature(Method method) {
        return Modifier.isPrivate(method.getModifiers())
                ? List.of(method)
                : List.of(method.getName(), Arrays.asList(method.getParameterTypes()));
    }

    /** Makes a member accessible, or says what prevents it. */
    static <M extends AccessibleObject & Member> void open(M member) {
        if (!member.trySetAccessible()) {
            Class<?> type = member.getDeclaringClass();
            Module own = ConfigParam.class.getModule();
            String reader = own.isNamed() ? " to " + own.getName() : "";
            throw new IllegalArgumentException("@ConfigParam of " + nameOf(member) + " needs \"opens "
                    + type.getPackageName() + reader + ";\" in the module-info of "
                    + type.getModule().getName());
        }
    }

    static String nameOf(Member member) {
        return member.getDeclaringClass().getSimpleName() + "." + member.getName();
    }

    static void check(boolean holds, Member member, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("@ConfigParam of " + nameOf(member) + " " + rule);
        }
    }

    /** A method with one parameter. */
    record ParamMethod(Method method, ConfigParam param, Type type, String name) implements ParamMember {
        static ParamMethod of(Method method) {
            check(!Modifier.isStatic(method.getModifiers()), method, "must not be on a static method");
            check(method.getParameterCount() == 1, method, "must be on a method with one parameter");
            open(method);
            return new ParamMethod(
                    method,
                    method.getAnnotation(ConfigParam.class),
                    method.getGenericParameterTypes()[0],
                    nameOf(method));
        }

        @Override
        public void set(Object target, Object value) throws Throwable {
            try {
                method.invoke(target, value);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @Override
        public void clear(Object target) {}
    }

    /** A field, and the value that it had before it was bound. */
    record ParamField(
            Field field,
            ConfigParam param,
            Type type,
            String name,
            @Nullable Object before) implements ParamMember {
        static ParamField of(Field field, Object target) {
            check(!Modifier.isStatic(field.getModifiers()), field, "must not be on a static field");
            check(!Modifier.isFinal(field.getModifiers()), field, "must not be on a final field");
            open(field);
            try {
                return new ParamField(
                        field,
                        field.getAnnotation(ConfigParam.class),
                        field.getGenericType(),
                        nameOf(field),
                        field.get(target));
            } catch (IllegalAccessException e) {
                throw new AssertionError("it was made accessible", e);
            }
        }

        @Override
        public void set(Object target, Object value) throws IllegalAccessException {
            field.set(target, value);
        }

        @Override
        public void clear(Object target) throws IllegalAccessException {
            field.set(target, before);
        }
    }
}
