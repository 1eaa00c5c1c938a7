//! Everything in a module that others rely on, looked at once.

use perturb_sym::ir::{
    Body, Computation, Constant, ConstantKind, DataLayout, Definition, GlobalKind, Module, Operand, Operation, Type,
};

/// Panics if something is not as the module promises.
pub fn walk(module: &Module) {
    for global in &module.globals {
        match &global.kind {
            GlobalKind::Variable(variable) => {
                assert!(variable.alignment.is_power_of_two());
                if let Some(initialiser) = &variable.initialiser {
                    assert_eq!(initialiser.ty, variable.ty);
                    constant(&module.layout, initialiser);
                }
            }
            GlobalKind::Alias { aliasee, .. } => constant(&module.layout, aliasee),
            GlobalKind::Unsupported(unsupported) => assert!(unsupported.line > 0, "{unsupported}"),
        }
        assert_eq!(module.global(&global.name).map(|found| found.line), Some(global.line));
    }
    for function in &module.functions {
        assert_eq!(module.function(&function.name).map(|found| found.line), Some(function.line));
        match &function.body {
            Body::Declared => {}
            Body::Unsupported(unsupported) => assert!(unsupported.line > 0, "{unsupported}"),
            Body::Defined(definition) => {
                let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
                assert!(definition.registers.iter().zip(parameters).all(|(register, parameter)| register == parameter));
                assert!(definition.registers.len() >= function.parameters.len());
                body(module, definition, &function.result);
            }
        }
    }
}

fn body(module: &Module, definition: &Definition, result: &Type) {
    let mut defined = vec![false; definition.registers.len()];
    for block in &definition.blocks {
        for (at, instruction) in block.instructions.iter().enumerate() {
            let operation = &instruction.operation;
            assert_eq!(operation.is_terminator(), at + 1 == block.instructions.len());
            for operand in operation.operands() {
                check(&module.layout, definition, operand);
            }
            for target in operation.successors().unwrap_or_default() {
                assert!(!definition.block(target).instructions.is_empty());
            }
            if let Operation::Return(value) = operation {
                assert_eq!(value.as_ref().map_or(&Type::Void, Operand::ty), result);
            }
            if let Some(register) = instruction.result {
                assert!(!std::mem::replace(&mut defined[register.index()], true));
                let ty = &definition.registers[register.index()];
                match operation {
                    Operation::Compute(computation) => assert_eq!(computation.ty(), *ty),
                    Operation::Call(call) => assert_eq!(call.result, *ty),
                    _ => assert!(ty.is_value() || *ty == Type::Token),
                }
            }
            if let Some(position) = instruction.position {
                assert!(module.file(position).is_some());
            }
        }
    }
}

fn check(layout: &DataLayout, definition: &Definition, operand: &Operand) {
    match operand {
        Operand::Register { register, ty } => assert_eq!(definition.registers.get(register.index()), Some(ty)),
        Operand::Constant(value) => constant(layout, value),
    }
}

fn constant(layout: &DataLayout, value: &Constant) {
    let has_size = layout.size(&value.ty).is_some() && layout.alignment(&value.ty).is_some();
    assert!(has_size || matches!(value.ty, Type::Metadata | Type::Token), "{}", value.ty);
    match (&value.kind, &value.ty) {
        (ConstantKind::Int(number), Type::Int(bits)) => assert!(*bits >= 128 || number >> bits == 0),
        (ConstantKind::Float(number), Type::Float(kind)) => assert!(kind.bits() == 128 || number >> kind.bits() == 0),
        (ConstantKind::Int(_) | ConstantKind::Float(_), ty) => panic!("a number of type {ty}"),
        (ConstantKind::Bytes(bytes), Type::Array(array)) => assert_eq!(bytes.len() as u64, array.count),
        (ConstantKind::Aggregate(parts), ty) => {
            parts.iter().for_each(|part| constant(layout, part));
            match ty {
                Type::Vector(vector) => assert_eq!(parts.len(), vector.count as usize),
                _ => assert!((0..).zip(parts.iter()).all(|(at, part)| ty.part(at) == Some(&part.ty))),
            }
        }
        (ConstantKind::Expression(computation), ty) => {
            assert_eq!(computation.ty(), *ty);
            expression(layout, computation);
        }
        _ => {}
    }
}

fn expression(layout: &DataLayout, computation: &Computation) {
    for operand in computation.operands() {
        match operand {
            Operand::Constant(value) => constant(layout, value),
            Operand::Register { .. } => panic!("a register in a constant"),
        }
    }
}
