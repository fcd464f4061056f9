# apply SIGN FILE: adds the quantities of a file to the array `stock`, or subtracts them.
declare -A stock
declare -i applied=0

apply() {
  local sku quantity
  while IFS=, read -r sku quantity; do
    stock[$sku]=$((${stock[$sku]:-0} $1 quantity))
  done <"$2"
  applied+=1
}
